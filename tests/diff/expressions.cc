// Values. Conditions stand in conditions.cc, aggregates in aggregates.cc.
#include "tests/diff/expressions.h"

#include <utility>

#include "tests/diff/values.h"

namespace kvsql::diff {

Node Call(const std::string& function, std::vector<Node> arguments) {
  return Node::Expr(function, "(", Node::List(", ", std::move(arguments)), ")")
      .Feature("function " + function);
}

std::optional<Expressions::Found> Expressions::FindColumn(
    const Scope& scope, const std::function<bool(const Column&)>& wanted, bool outer_too) {
  const Scope* from = &scope;
  while (outer_too && from->outer != nullptr && random_->Percent(35)) from = from->outer;
  std::vector<Found> found;
  for (const Source& source : from->sources) {
    for (const Column& column : source.columns) {
      if (wanted(column)) found.push_back({source.alias + "." + column.name, column});
    }
  }
  for (const Column& column : from->merged) {
    if (wanted(column)) found.push_back({column.name, column});
  }
  if (found.empty()) return std::nullopt;
  return random_->Pick(found);
}

Node Expressions::Leaf(const Scope& scope) {
  if (random_->Percent(75)) {
    if (const auto column = FindColumn(scope, [](const Column&) { return true; })) {
      return Node::Expr(column->name).Feature("column");
    }
  }
  return Node::Expr(LiteralFor(Profile::kAny, random_)).Feature("literal");
}

Node Expressions::Any(const Scope& scope, int depth) {
  if (depth <= 0) return Leaf(scope);
  switch (random_->Weighted({25, 20, 20, 10, 10, 6, 5, 4})) {
    case 0:
      return Leaf(scope);
    case 1:
      return Number(scope, depth);
    case 2:
      return Text(scope, depth);
    case 3:
      return Boolean(scope, depth);
    case 4:
      return Conditional(scope, depth);
    case 5:
      return Cast(scope, depth);
    case 6:
      if (MaySubquery()) {
        return Node::Expr("(", make_subquery_(scope, SubqueryUse::kScalar, 1), ")")
            .Feature("scalar subquery");
      }
      return Leaf(scope);
    default:
      return Node::Expr("(", Any(scope, depth - 1), " COLLATE ",
                        random_->Pick({"BINARY", "NOCASE", "RTRIM"}), ")")
          .Feature("operator COLLATE");
  }
}

Node Expressions::Number(const Scope& scope, int depth) {
  if (depth <= 0) {
    if (random_->Percent(70)) {
      const auto column = FindColumn(scope, [](const Column& c) { return !c.is_text(); });
      if (column) return Node::Expr(column->name).Feature("column");
    }
    return Node::Expr(random_->Percent(70) ? SmallNumber(random_) : WildNumber(random_))
        .Feature("literal");
  }
  if (random_->Percent(30)) return NumericFunction(scope, depth);
  if (random_->Percent(12)) {
    const char* sign = random_->Pick({"-", "+", "~", "NOT "});
    return Node::Expr("(", sign, Any(scope, depth - 1), ")")
        .Feature(std::string("unary ") + (sign[0] == 'N' ? "NOT" : sign));
  }
  const std::string sign =
      random_->Pick({"+", "+", "-", "-", "*", "*", "/", "%", "&", "|", "<<", ">>"});
  return Node::Expr("(", Number(scope, depth - 1), " " + sign + " ", Number(scope, depth - 1), ")")
      .Feature("operator " + sign);
}

Node Expressions::NumericFunction(const Scope& scope, int depth) {
  const auto any = [&] { return Any(scope, depth - 1); };
  switch (random_->Below(10)) {
    case 0:
      // The smallest integer has no absolute value.
      return Call("abs", {Small(scope, depth - 1)});
    case 1:
      return Call("length", {any()});
    case 2:
      return Call("round", random_->Percent(50)
                               ? std::vector<Node>{Small(scope, depth - 1)}
                               : std::vector<Node>{Small(scope, depth - 1),
                                                   std::to_string(random_->Between(0, 3))});
    case 3:
      return Call("instr", {any(), Text(scope, depth - 1)});
    case 4:
      return Call("unicode", {Text(scope, depth - 1)});
    case 5:
      return Call("sign", {any()});
    case 6:
      return Call(random_->Pick({"min", "max"}),
                  {Number(scope, depth - 1), Number(scope, depth - 1)});
    case 7:
      return Call("likely", {Boolean(scope, depth - 1)});
    case 8:
      return Call("unlikely", {Boolean(scope, depth - 1)});
    default:
      return Call("likelihood", {Boolean(scope, depth - 1), "0.25"});
  }
}

Node Expressions::Text(const Scope& scope, int depth) {
  if (depth <= 0) {
    if (random_->Percent(70)) {
      const auto column = FindColumn(scope, [](const Column& c) { return c.is_text(); });
      if (column) return Node::Expr(column->name).Feature("column");
    }
    return Node::Expr(TextLiteral(random_)).Feature("literal");
  }
  if (random_->Percent(25)) {
    return Node::Expr("(", Any(scope, depth - 1), " || ", Any(scope, depth - 1), ")")
        .Feature("operator ||");
  }
  return TextFunction(scope, depth);
}

Node Expressions::TextFunction(const Scope& scope, int depth) {
  const auto any = [&] { return Any(scope, depth - 1); };
  const auto number = [&](int64_t low, int64_t high) {
    return Node(std::to_string(random_->Between(low, high)));
  };
  switch (random_->Below(13)) {
    case 0:
      return Call("upper", {any()});
    case 1:
      return Call("lower", {any()});
    case 2: {
      const char* trim = random_->Pick({"trim", "ltrim", "rtrim"});
      if (random_->Percent(60)) return Call(trim, {any()});
      return Call(trim, {any(), random_->Pick({"'a'", "' ab'", "'01'", "''"})});
    }
    case 3:
      if (random_->Percent(40)) return Call("substr", {any(), number(-4, 4)});
      return Call("substr", {any(), number(-4, 4), number(-3, 4)});
    case 4:
      return Call("substring", {any(), number(1, 3)});
    case 5:
      return Call("replace", {any(), Text(scope, depth - 1), Text(scope, depth - 1)});
    case 6:
      return Call("hex", {any()});
    case 7:
      return Call("quote", {any()});
    case 8:
      return Call("typeof", {any()});
    case 9:
      return Call("char", {number(65, 90), number(97, 122)});
    case 10:
      return Call(random_->Pick({"printf", "format"}),
                  {"'%d|%s|%.2f'", Small(scope, depth - 1), any(), Small(scope, depth - 1)});
    case 11:
      // Bare, its zeros would end texts that it becomes a part of.
      return Call("hex", {Call("zeroblob", {number(0, 3)})});
    default:
      return Call(random_->Pick({"min", "max"}), {Text(scope, depth - 1), Text(scope, depth - 1)});
  }
}

Node Expressions::Conditional(const Scope& scope, int depth) {
  const auto any = [&] { return Any(scope, depth - 1); };
  switch (random_->Below(6)) {
    case 0: {
      std::vector<Node> whens;
      for (size_t i = 0; i < 1 + random_->Below(2); ++i) {
        whens.push_back(Node::Of("WHEN ", Boolean(scope, depth - 1), " THEN ", any()));
      }
      Node otherwise = random_->Percent(70) ? Node::Optional(" ELSE ", any()) : Node("");
      return Node::Expr("CASE ", Node::List(" ", std::move(whens)), std::move(otherwise), " END")
          .Feature("CASE WHEN");
    }
    case 1: {
      std::vector<Node> whens;
      for (size_t i = 0; i < 1 + random_->Below(3); ++i) {
        whens.push_back(Node::Of("WHEN ", any(), " THEN ", any()));
      }
      return Node::Expr("CASE ", any(), " ", Node::List(" ", std::move(whens)), " ELSE ", any(),
                        " END")
          .Feature("CASE value");
    }
    case 2:
      return random_->Percent(60) ? Call("coalesce", {any(), any()})
                                  : Call("coalesce", {any(), any(), any()});
    case 3:
      return Call("ifnull", {any(), any()});
    case 4:
      return Call("nullif", {any(), any()});
    default:
      return Call("iif", {Boolean(scope, depth - 1), any(), any()});
  }
}

Node Expressions::Cast(const Scope& scope, int depth) {
  const char* type = random_->Pick({"INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB"});
  return Node::Expr("CAST(", Any(scope, depth - 1), " AS ", type, ")")
      .Feature(std::string("CAST AS ") + type);
}

Node Expressions::Small(const Scope& scope, int depth) {
  if (depth <= 0) {
    if (random_->Percent(80)) {
      const auto column = FindColumn(scope, [](const Column& c) { return c.summable(); });
      if (column) return Node::Expr(column->name).Feature("column");
    }
    return Node::Expr(SmallNumber(random_)).Feature("small number");
  }
  if (random_->Percent(25)) {
    return Node::Expr("CASE WHEN ", Boolean(scope, depth - 1), " THEN ", Small(scope, depth - 1),
                      " ELSE ", Small(scope, depth - 1), " END")
        .Feature("CASE WHEN");
  }
  if (random_->Percent(20)) return Call("length", {Any(scope, depth - 1)});
  const std::string sign = random_->Pick({"+", "-", "*"});
  return Node::Expr("(", Small(scope, depth - 1), " " + sign + " ", Small(scope, depth - 1), ")")
      .Feature("operator " + sign);
}

Node Expressions::Exact(const Scope& scope, int depth) {
  // A COLLATE deep inside would show through functions and operators.
  const auto bytewise = [](Node value) {
    return Node::Expr("(", std::move(value), " COLLATE BINARY)").Feature("operator COLLATE");
  };
  Node value = Any(scope, depth - 1);
  switch (random_->Below(5)) {
    case 0:
      return bytewise(Node::Expr("(", std::move(value), " || '')").Feature("operator ||"));
    case 1:
      return bytewise(Call("quote", {std::move(value)}));
    case 2:
      return bytewise(Call("typeof", {std::move(value)}));
    case 3:
      return Call("length", {std::move(value)});
    default:
      return Node::Expr("(0 + CAST(", std::move(value), " AS INTEGER))").Feature("CAST AS INTEGER");
  }
}

}  // namespace kvsql::diff
