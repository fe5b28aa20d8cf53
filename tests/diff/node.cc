#include "tests/diff/node.h"

#include <algorithm>

namespace kvsql::diff {

Node Node::List(std::string separator, std::vector<Node> parts) {
  Node node;
  node.kind_ = Kind::kList;
  node.text_ = std::move(separator);
  node.parts_ = std::move(parts);
  return node;
}

std::string Node::Text() const {
  std::string text;
  AppendText(&text);
  return text;
}

void Node::AppendText(std::string* text) const {
  if (kind_ != Kind::kList) text->append(text_);
  for (const Node& part : parts_) {
    if (kind_ == Kind::kList && &part != &parts_[0]) text->append(text_);
    part.AppendText(text);
  }
}

bool Node::HasOrder() const {
  if (orders_) return true;
  for (const Node& part : parts_) {
    if (part.HasOrder()) return true;
  }
  return false;
}

bool Node::Has(std::string_view feature) const {
  return std::find(features_.begin(), features_.end(), feature) != features_.end();
}

void Node::EachFeature(const std::function<void(const std::string&)>& visit) const {
  for (const std::string& feature : features_) visit(feature);
  for (const Node& part : parts_) part.EachFeature(visit);
}

std::vector<Node*> Node::All() {
  std::vector<Node*> all = {this};
  for (Node& part : parts_) {
    const std::vector<Node*> inner = part.All();
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

}  // namespace kvsql::diff
