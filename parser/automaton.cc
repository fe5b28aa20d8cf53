#include "parser/automaton.h"

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

#include "KvSql.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace kvsql::parser {
namespace {

using namespace antlr4::atn;  // NOLINT(google-build-using-namespace): some thirty of its classes

constexpr uint16_t kNone = 0xffff;

class Reader {
 public:
  Reader(const std::vector<uint16_t>& words, ATN* atn) : words_(words), atn_(*atn) {}

  void Read() {
    at_ = 9;  // version and UUID
    atn_.grammarType = static_cast<ATNType>(Next());
    atn_.maxTokenType = Next();
    ReadStates();
    ReadRules();
    for (size_t n = Next(); n > 0; --n) Next();  // modes: a parser has none
    ReadSets(1);
    ReadSets(2);
    for (size_t n = Next(); n > 0; --n) ReadEdge();
    AddReturns();
    LinkBlocks();
    ReadDecisions();
    MarkPrecedenceDecisions();
  }

 private:
  size_t Next() { return static_cast<uint16_t>(words_[at_++] - 2); }
  size_t Next(int width) {
    const size_t low = Next();
    return width == 1 ? low : low | Next() << 16;
  }
  template <typename State>
  State* At(size_t number) {
    return static_cast<State*>(atn_.states[number]);
  }

  // Some thousands of small objects that live as long as the program: one by one they would cost more than
  // all the rest.
  template <typename Made, typename... Args>
  Made* New(Args&&... args) {
    constexpr size_t kSize = (sizeof(Made) + alignof(std::max_align_t) - 1) /
                             alignof(std::max_align_t) * alignof(std::max_align_t);
    static_assert(kSize <= kBlock);
    if (left_ < kSize) TakeBlock();
    Made* const made = new (free_) Made(std::forward<Args>(args)...);
    free_ += kSize;
    left_ -= kSize;
    return made;
  }
  void TakeBlock();
  // As ATNState::addTransition, which frees the second of two edges to one state.
  static void Add(ATNState* from, Transition* edge) {
    for (const Transition* const other : from->transitions) {
      if (other->target == edge->target) return;
    }
    AddNew(from, edge);
  }
  static void AddNew(ATNState* from, Transition* edge) {
    const bool epsilon = edge->isEpsilon();
    from->epsilonOnlyTransitions =
        epsilon && (from->transitions.empty() || from->epsilonOnlyTransitions);
    from->transitions.push_back(edge);
  }
  ATNState* MakeState(size_t type);
  void ReadStates();
  void ReadRules();
  void ReadSets(int width);
  void ReadEdge();
  void AddReturns();
  void LinkBlocks();
  void ReadDecisions();
  void MarkPrecedenceDecisions();

  const std::vector<uint16_t>& words_;
  ATN& atn_;
  size_t at_ = 0;
  static constexpr size_t kBlock = size_t{256} << 10;  // what all of it takes is a little less
  char* free_ = nullptr;
  size_t left_ = 0;
  std::vector<antlr4::misc::IntervalSet> sets_;
};

bool IsBlockStart(size_t type) {
  return type == ATNState::BLOCK_START || type == ATNState::PLUS_BLOCK_START ||
         type == ATNState::STAR_BLOCK_START;
}

ATNState* Reader::MakeState(size_t type) {
  switch (type) {
    case ATNState::BASIC:
      return New<BasicState>();
    case ATNState::RULE_START:
      return New<RuleStartState>();
    case ATNState::BLOCK_START:
      return New<BasicBlockStartState>();
    case ATNState::PLUS_BLOCK_START:
      return New<PlusBlockStartState>();
    case ATNState::STAR_BLOCK_START:
      return New<StarBlockStartState>();
    case ATNState::TOKEN_START:
      return New<TokensStartState>();
    case ATNState::RULE_STOP:
      return New<RuleStopState>();
    case ATNState::BLOCK_END:
      return New<BlockEndState>();
    case ATNState::STAR_LOOP_BACK:
      return New<StarLoopbackState>();
    case ATNState::STAR_LOOP_ENTRY:
      return New<StarLoopEntryState>();
    case ATNState::PLUS_LOOP_BACK:
      return New<PlusLoopbackState>();
    default:
      return New<LoopEndState>();
  }
}

// Its pages come at once: one by one, as they are first touched, costs more than filling them.
void Reader::TakeBlock() {
  void* block = mmap(nullptr, kBlock, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (block == MAP_FAILED) block = ::operator new(kBlock);
  free_ = static_cast<char*>(block);
  left_ = kBlock;
}

void Reader::ReadStates() {
  std::vector<std::pair<size_t, size_t>> partners;  // of block starts and loop ends
  const size_t count = Next();
  atn_.states.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t type = Next();
    if (type == ATNState::ATN_INVALID_TYPE) {
      atn_.states.push_back(nullptr);
      continue;
    }
    ATNState* const state = MakeState(type);
    state->stateNumber = i;
    const size_t rule = Next();
    state->ruleIndex = rule == kNone ? static_cast<size_t>(-1) : rule;
    if (type == ATNState::LOOP_END || IsBlockStart(type)) partners.emplace_back(i, Next());
    atn_.states.push_back(state);
  }
  for (const auto& [state, partner] : partners) {
    if (atn_.states[state]->getStateType() == ATNState::LOOP_END) {
      At<LoopEndState>(state)->loopBackState = atn_.states[partner];
    } else {
      At<BlockStartState>(state)->endState = At<BlockEndState>(partner);
    }
  }
  for (size_t n = Next(); n > 0; --n) At<DecisionState>(Next())->nonGreedy = true;
  for (size_t n = Next(); n > 0; --n) At<RuleStartState>(Next())->isLeftRecursiveRule = true;
}

void Reader::ReadRules() {
  const size_t count = Next();
  atn_.ruleToStartState.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    atn_.ruleToStartState.push_back(At<RuleStartState>(Next()));
  }
  atn_.ruleToStopState.resize(count);
  for (ATNState* const state : atn_.states) {
    if (state == nullptr || state->getStateType() != ATNState::RULE_STOP) continue;
    auto* const stop = static_cast<RuleStopState*>(state);
    atn_.ruleToStopState[state->ruleIndex] = stop;
    atn_.ruleToStartState[state->ruleIndex]->stopState = stop;
  }
}

void Reader::ReadSets(int width) {
  for (size_t n = Next(); n > 0; --n) {
    const size_t intervals = Next();
    antlr4::misc::IntervalSet set;
    if (Next() != 0) set.add(-1);
    for (size_t i = 0; i < intervals; ++i) {
      const size_t from = Next(width);
      set.add(static_cast<ssize_t>(from), static_cast<ssize_t>(Next(width)));
    }
    sets_.push_back(std::move(set));
  }
}

void Reader::ReadEdge() {
  ATNState* const from = atn_.states[Next()];
  const size_t to = Next();
  ATNState* const target = atn_.states[to];
  const size_t type = Next();
  const size_t a = Next();
  const size_t b = Next();
  const size_t c = Next();
  const size_t eof = antlr4::Token::EOF;
  Transition* edge = nullptr;
  switch (type) {
    case Transition::EPSILON:
      edge = New<EpsilonTransition>(target);
      break;
    case Transition::RANGE:
      edge = New<RangeTransition>(target, c != 0 ? eof : a, b);
      break;
    case Transition::RULE:
      edge = New<RuleTransition>(At<RuleStartState>(a), b, static_cast<int>(c), target);
      break;
    case Transition::PREDICATE:
      edge = New<PredicateTransition>(target, a, b, c != 0);
      break;
    case Transition::PRECEDENCE:
      edge = New<PrecedencePredicateTransition>(target, static_cast<int>(a));
      break;
    case Transition::ATOM:
      edge = New<AtomTransition>(target, c != 0 ? eof : a);
      break;
    case Transition::ACTION:
      edge = New<ActionTransition>(target, a, b == kNone ? static_cast<size_t>(-1) : b, c != 0);
      break;
    case Transition::SET:
      edge = New<SetTransition>(target, sets_[a]);
      break;
    case Transition::NOT_SET:
      edge = New<NotSetTransition>(target, sets_[a]);
      break;
    default:
      edge = New<WildcardTransition>(target);
      break;
  }
  Add(from, edge);
}

// Where a rule ends, every place that calls it may go on.
void Reader::AddReturns() {
  // Some rules are called from hundreds of places: no walk through all of them for each.
  const size_t states = atn_.states.size();
  std::vector<bool> known(atn_.ruleToStopState.size() * states);
  for (ATNState* const state : atn_.states) {
    if (state == nullptr) continue;
    for (Transition* const edge : state->transitions) {
      if (edge->getSerializationType() != Transition::RULE) continue;
      auto* const call = static_cast<RuleTransition*>(edge);
      const size_t rule = call->target->ruleIndex;
      if (known[rule * states + call->followState->stateNumber]) continue;
      known[rule * states + call->followState->stateNumber] = true;
      const bool outermost =
          atn_.ruleToStartState[rule]->isLeftRecursiveRule && call->precedence == 0;
      AddNew(atn_.ruleToStopState[rule],
             New<EpsilonTransition>(call->followState, outermost ? rule : static_cast<size_t>(-1)));
    }
  }
}

void Reader::LinkBlocks() {
  for (ATNState* const state : atn_.states) {
    if (state == nullptr) continue;
    const size_t type = state->getStateType();
    if (IsBlockStart(type)) {
      auto* const start = static_cast<BlockStartState*>(state);
      start->endState->startState = start;
    } else if (type == ATNState::PLUS_LOOP_BACK) {
      for (Transition* const edge : state->transitions) {
        if (edge->target->getStateType() != ATNState::PLUS_BLOCK_START) continue;
        static_cast<PlusBlockStartState*>(edge->target)->loopBackState =
            static_cast<PlusLoopbackState*>(state);
      }
    } else if (type == ATNState::STAR_LOOP_BACK) {
      for (Transition* const edge : state->transitions) {
        if (edge->target->getStateType() != ATNState::STAR_LOOP_ENTRY) continue;
        static_cast<StarLoopEntryState*>(edge->target)->loopBackState =
            static_cast<StarLoopbackState*>(state);
      }
    }
  }
}

void Reader::ReadDecisions() {
  const size_t count = Next();
  atn_.decisionToState.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    auto* const state = At<DecisionState>(Next());
    state->decision = static_cast<int>(i);
    atn_.decisionToState.push_back(state);
  }
}

// The loop of a left-recursive rule, which decides by precedence.
void Reader::MarkPrecedenceDecisions() {
  for (DecisionState* const state : atn_.decisionToState) {
    if (state->getStateType() != ATNState::STAR_LOOP_ENTRY) continue;
    if (!atn_.ruleToStartState[state->ruleIndex]->isLeftRecursiveRule) continue;
    ATNState* const end = state->transitions.back()->target;
    if (end->getStateType() != ATNState::LOOP_END || !end->epsilonOnlyTransitions) continue;
    if (end->transitions[0]->target->getStateType() != ATNState::RULE_STOP) continue;
    static_cast<StarLoopEntryState*>(state)->isPrecedenceDecision = true;
  }
}

}  // namespace

void ReadAutomaton(const std::vector<uint16_t>& words, ATN* out) {
#if defined(__SANITIZE_ADDRESS__)
  // The automaton lives as long as the process: its states are never destroyed.
  const __lsan::ScopedDisabler lives_on;
#endif
  Reader(words, out).Read();
}

#if defined(KVSQL_TESTING)
namespace {

size_t Number(const ATNState* state) {
  return state == nullptr ? ATNState::INVALID_STATE_NUMBER : state->stateNumber;
}

// Everything that the parser looks at, as text.
std::string Describe(ATNState* state) {
  std::string text = std::to_string(state->stateNumber) + " type " +
                     std::to_string(state->getStateType()) + " rule " +
                     std::to_string(state->ruleIndex) + " epsilon " +
                     std::to_string(static_cast<int>(state->epsilonOnlyTransitions));
  const auto add = [&](const char* name, size_t value) {
    text += std::string(" ") + name + " " + std::to_string(value);
  };
  if (const auto* decision = dynamic_cast<DecisionState*>(state)) {
    add("decision", static_cast<size_t>(decision->decision));
    add("nongreedy", decision->nonGreedy ? 1 : 0);
  }
  if (const auto* start = dynamic_cast<RuleStartState*>(state)) {
    add("stop", Number(start->stopState));
    add("recursive", start->isLeftRecursiveRule ? 1 : 0);
  }
  if (const auto* block = dynamic_cast<BlockStartState*>(state))
    add("end", Number(block->endState));
  if (const auto* end = dynamic_cast<BlockEndState*>(state)) add("start", Number(end->startState));
  if (const auto* plus = dynamic_cast<PlusBlockStartState*>(state)) {
    add("loop back", Number(plus->loopBackState));
  }
  if (const auto* entry = dynamic_cast<StarLoopEntryState*>(state)) {
    add("loop back", Number(entry->loopBackState));
    add("by precedence", entry->isPrecedenceDecision ? 1 : 0);
  }
  if (const auto* end = dynamic_cast<LoopEndState*>(state)) {
    add("loop back", Number(end->loopBackState));
  }
  for (const Transition* const edge : state->transitions) {
    text += " -> " + std::to_string(Number(edge->target)) + " " + edge->label().toString();
    add("type", edge->getSerializationType());
    if (const auto* epsilon = dynamic_cast<const EpsilonTransition*>(edge)) {
      add("return", const_cast<EpsilonTransition*>(epsilon)->outermostPrecedenceReturn());
    }
    if (const auto* predicate = dynamic_cast<const PrecedencePredicateTransition*>(edge)) {
      add("precedence", static_cast<size_t>(predicate->precedence));
    }
    if (const auto* call = dynamic_cast<const RuleTransition*>(edge)) {
      add("follow", Number(call->followState));
      add("precedence", static_cast<size_t>(call->precedence));
      add("rule", call->ruleIndex);
    }
  }
  return text;
}

}  // namespace

std::string CompareAutomata() {
  const std::vector<uint16_t>& words = kvsql_antlr::KvSql::serializedAutomaton();
  static ATN* const made = new ATN;  // lives on, as its parts do
  if (made->states.empty()) ReadAutomaton(words, made);
  const ATN& ours = *made;
  ATN theirs = ATNDeserializer().deserialize(words);
  if (ours.states.size() != theirs.states.size()) return "another number of states";
  if (ours.maxTokenType != theirs.maxTokenType) return "another largest token";
  if (ours.grammarType != theirs.grammarType) return "another type of grammar";
  for (size_t i = 0; i < ours.states.size(); ++i) {
    const std::string a = Describe(ours.states[i]);
    const std::string b = Describe(theirs.states[i]);
    if (a != b) return a + "\nshould be\n" + b;
  }
  const auto numbers = [](const auto& states) {
    std::vector<size_t> result;
    for (const auto* state : states) result.push_back(Number(state));
    return result;
  };
  if (numbers(ours.ruleToStartState) != numbers(theirs.ruleToStartState))
    return "other rule starts";
  if (numbers(ours.ruleToStopState) != numbers(theirs.ruleToStopState)) return "other rule stops";
  if (numbers(ours.decisionToState) != numbers(theirs.decisionToState)) return "other decisions";
  return "";
}
#endif

}  // namespace kvsql::parser
