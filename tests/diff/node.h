// SQL text as a tree, so that it can be shrunk and what it exercises can be counted.
//
//   Node::Expr("(", left, " + ", right, ")").Feature("operator +")
//   Node::Of("SELECT ", Node::List(", ", columns), Node::Optional(" WHERE ", condition))
//
// Expressions that have parts are written with parentheses around them, so that any of them can stand for
// any other.
#ifndef KVSQL_TESTS_DIFF_NODE_H_
#define KVSQL_TESTS_DIFF_NODE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvsql::diff {

class Node {
 public:
  enum class Kind : uint8_t {
    kPlain,       // its parts, one after the other
    kOptional,    // the same; the statement is well-formed without it
    kExpression,  // the same; an expression that yields one value
    kList,        // its parts with the text between them; at least one must stay
  };

  Node() = default;
  // A piece of text.
  Node(std::string text) : text_(std::move(text)) {}  // NOLINT: written in lists of parts
  Node(std::string_view text) : text_(text) {}        // NOLINT
  Node(const char* text) : text_(text) {}             // NOLINT

  template <typename... Parts>
  static Node Of(Parts&&... parts) {
    return Make(Kind::kPlain, std::forward<Parts>(parts)...);
  }
  template <typename... Parts>
  static Node Optional(Parts&&... parts) {
    return Make(Kind::kOptional, std::forward<Parts>(parts)...);
  }
  template <typename... Parts>
  static Node Expr(Parts&&... parts) {
    return Make(Kind::kExpression, std::forward<Parts>(parts)...);
  }
  static Node List(std::string separator, std::vector<Node> parts);

  // Names what the node exercises (features.h).
  Node&& Feature(std::string name) && {
    features_.push_back(std::move(name));
    return std::move(*this);
  }
  // The rows of the statement have a total order while it has this node.
  Node&& Orders() && {
    orders_ = true;
    return std::move(*this);
  }
  void Add(Node part) { parts_.push_back(std::move(part)); }

  Kind kind() const { return kind_; }
  const std::vector<Node>& parts() const { return parts_; }
  std::vector<Node>& parts() { return parts_; }

  std::string Text() const;
  bool HasOrder() const;
  // Whether this node itself is named so.
  bool Has(std::string_view feature) const;
  void EachFeature(const std::function<void(const std::string&)>& visit) const;
  // The nodes of the tree, this one first. Valid until one of them is changed.
  std::vector<Node*> All();

 private:
  template <typename... Parts>
  static Node Make(Kind kind, Parts&&... parts) {
    Node node;
    node.kind_ = kind;
    node.parts_.reserve(sizeof...(parts));
    (node.parts_.push_back(Node(std::forward<Parts>(parts))), ...);
    return node;
  }
  void AppendText(std::string* text) const;

  Kind kind_ = Kind::kPlain;
  bool orders_ = false;
  std::string text_;  // of a leaf; of a list: what stands between its parts
  std::vector<Node> parts_;
  std::vector<std::string> features_;
};

}  // namespace kvsql::diff

#endif  // KVSQL_TESTS_DIFF_NODE_H_
