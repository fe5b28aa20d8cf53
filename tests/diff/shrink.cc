#include "tests/diff/shrink.h"

#include <utility>
#include <vector>

namespace kvsql::diff {
namespace {

// The expressions directly inside of a node.
void InnerExpressions(const Node& node, std::vector<Node>* found) {
  for (const Node& part : node.parts()) {
    if (part.kind() == Node::Kind::kExpression) {
      found->push_back(part);
    } else {
      InnerExpressions(part, found);
    }
  }
}

// What could stand in the node's place.
std::vector<Node> Simpler(const Node& node) {
  std::vector<Node> simpler;
  switch (node.kind()) {
    case Node::Kind::kOptional:
      if (!node.Text().empty()) simpler.emplace_back("");
      break;
    case Node::Kind::kList: {
      const size_t size = node.parts().size();
      if (size < 2) break;
      const auto without = [&](size_t begin, size_t end) {
        Node less = node;
        less.parts().erase(less.parts().begin() + static_cast<ptrdiff_t>(begin),
                           less.parts().begin() + static_cast<ptrdiff_t>(end));
        simpler.push_back(std::move(less));
      };
      if (size > 3) {
        without(0, size / 2);
        without(size / 2, size);
      }
      for (size_t i = 0; i < size; ++i) without(i, i + 1);
      break;
    }
    case Node::Kind::kExpression: {
      if (node.parts().size() > 1) {
        simpler.push_back(Node::Expr("NULL"));
        simpler.push_back(Node::Expr("1"));
      }
      InnerExpressions(node, &simpler);
      break;
    }
    default:
      break;
  }
  return simpler;
}

class Shrinker {
 public:
  Shrinker(Case failing, const std::function<bool(const Case&)>& fails, size_t budget)
      : best_(std::move(failing)), fails_(fails), budget_(budget) {}

  Case Run() {
    while (budget_ > 0) {
      const bool dropped = DropStatements();
      const bool simplified = SimplifyStatements();
      if (!dropped && !simplified) break;
    }
    return std::move(best_);
  }

 private:
  bool Try(Case candidate) {
    if (budget_ == 0) return false;
    --budget_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Large pieces first, from the end.
  bool DropStatements() {
    bool any = false;
    for (size_t size = best_.statements.size(); size > 0; size /= 2) {
      for (size_t end = best_.statements.size(); end > 0 && budget_ > 0;) {
        const size_t begin = end > size ? end - size : 0;
        if (begin == 0 && end == best_.statements.size()) {
          end = begin;
          continue;
        }
        Case candidate = best_;
        candidate.statements.erase(candidate.statements.begin() + static_cast<ptrdiff_t>(begin),
                                   candidate.statements.begin() + static_cast<ptrdiff_t>(end));
        any |= Try(std::move(candidate));
        end = begin;
      }
    }
    return any;
  }

  bool SimplifyStatements() {
    bool any = false;
    for (size_t i = 0; i < best_.statements.size(); ++i) {
      for (size_t place = 0; place < best_.statements[i].All().size() && budget_ > 0;) {
        if (SimplifyAt(i, place)) {
          any = true;  // and once more at the same place
        } else {
          ++place;
        }
      }
    }
    return any;
  }

  bool SimplifyAt(size_t statement, size_t place) {
    for (Node& simpler : Simpler(*best_.statements[statement].All()[place])) {
      Case candidate = best_;
      *candidate.statements[statement].All()[place] = std::move(simpler);
      if (Try(std::move(candidate))) return true;
    }
    return false;
  }

  Case best_;
  const std::function<bool(const Case&)>& fails_;
  size_t budget_;
};

}  // namespace

Case Shrink(Case failing, const std::function<bool(const Case&)>& fails, size_t budget) {
  return Shrinker(std::move(failing), fails, budget).Run();
}

}  // namespace kvsql::diff
