# ANTLR's C++ target builds its tables (names, vocabulary, the deserialised automaton) in static
# initialisers: 2 ms at every start of a program that links the parser, used or not. This script turns
# them into members of one object that is made, thread-safely, when the first statement is parsed.
# It fails if the generated code does not look as expected.
function(replace_once variable from to)
  string(FIND "${${variable}}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "lazy_tables.cmake: generated code lacks: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" result "${${variable}}")
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

# CMake's lists must not see the code's brackets and semicolons.
function(read_code path variable)
  file(READ ${path} text)
  string(REPLACE ";" "<semi>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
function(write_code path text)
  string(REPLACE "<semi>" ";" text "${text}")
  string(REPLACE "<open>" "[" text "${text}")
  string(REPLACE "<close>" "]" text "${text}")
  file(WRITE ${path} "${text}")
endfunction()

read_code(${DIRECTORY}/KvSql.h header)
replace_once(header "return _atn<semi>" "return tables()._atn<semi>")
replace_once(header "return _tokenNames<semi>" "return tables()._tokenNames<semi>")
string(FIND "${header}" "  static std::vector<antlr4::dfa::DFA> _decisionToDFA<semi>" first)
set(last_line "  static Initializer _init<semi>\n")
string(FIND "${header}" "${last_line}" last)
if(first EQUAL -1 OR last EQUAL -1)
  message(FATAL_ERROR "lazy_tables.cmake: no static tables in KvSql.h")
endif()
string(LENGTH "${last_line}" length)
math(EXPR last "${last} + ${length}")
string(SUBSTRING "${header}" 0 ${first} before)
string(SUBSTRING "${header}" ${last} -1 after)
set(header "${before}  struct Tables {
    Tables()<semi>
    std::vector<antlr4::dfa::DFA> _decisionToDFA<semi>
    antlr4::atn::PredictionContextCache _sharedContextCache<semi>
    std::vector<std::string> _ruleNames<semi>
    std::vector<std::string> _tokenNames<semi>
    std::vector<std::string> _literalNames<semi>
    std::vector<std::string> _symbolicNames<semi>
    std::unique_ptr<antlr4::dfa::Vocabulary> _vocabulary<semi>
    antlr4::atn::ATN _atn<semi>
    std::vector<uint16_t> _serializedATN<semi>
  }<semi>
  static Tables& tables()<semi>
public:
  static const std::vector<uint16_t>& serializedAutomaton() { return tables()._serializedATN<semi> }
${after}")
write_code(${DIRECTORY}/KvSql.h "${header}")

read_code(${DIRECTORY}/KvSql.cpp code)
replace_once(code "#include \"KvSql.h\"" "#include \"KvSql.h\"\n#include \"parser/automaton.h\"")
replace_once(code "(this, _atn, _decisionToDFA, _sharedContextCache)"
  "(this, tables()._atn, tables()._decisionToDFA, tables()._sharedContextCache)")
replace_once(code "return _ruleNames<semi>" "return tables()._ruleNames<semi>")
replace_once(code "return _vocabulary<semi>" "return *tables()._vocabulary<semi>")
replace_once(code "std::vector<dfa::DFA> KvSql::_decisionToDFA<semi>" "")
replace_once(code "atn::PredictionContextCache KvSql::_sharedContextCache<semi>" "")
replace_once(code "atn::ATN KvSql::_atn<semi>" "")
replace_once(code "std::vector<uint16_t> KvSql::_serializedATN<semi>" "")
# Nobody asks for names: messages are made of the statement's own text.
replace_once(code "std::vector<std::string> KvSql::_ruleNames ="
  "KvSql::Tables::Tables() {\nconstexpr bool named = false<semi>\nif (named) {\n_ruleNames =")
replace_once(code "std::vector<std::string> KvSql::_literalNames =" "_literalNames =")
replace_once(code "std::vector<std::string> KvSql::_symbolicNames =" "_symbolicNames =")
replace_once(code "dfa::Vocabulary KvSql::_vocabulary(_literalNames, _symbolicNames)<semi>"
  "}\n_vocabulary = std::make_unique<dfa::Vocabulary>(_literalNames, _symbolicNames)<semi>")
replace_once(code "std::vector<std::string> KvSql::_tokenNames<semi>" "")
replace_once(code "_vocabulary.get" "_vocabulary->get")
replace_once(code "KvSql::Initializer::Initializer() {" "{")
# parser/automaton.h says why.
replace_once(code "atn::ATNDeserializer deserializer<semi>" "")
replace_once(code "_atn = deserializer.deserialize(_serializedATN)<semi>"
  "kvsql::parser::ReadAutomaton(_serializedATN, &_atn)<semi>")
replace_once(code "KvSql::Initializer KvSql::_init<semi>" "}

KvSql::Tables& KvSql::tables() {
  static Tables* const made = new Tables<semi>
  return *made<semi>
}")
write_code(${DIRECTORY}/KvSql.cpp "${code}")
