// The grammar of kvsql's SQL: SQLite's dialect, whole. Tokens come from the hand lexer (lexer.h), which also
// folds the case of keywords; their numbers and spellings are generated from tokens.def.
//
// Expressions are one left-recursive rule; alternatives stand in falling order of precedence, and the operands
// in the middle of an operator say with <p=N> how weakly they may bind. N counts the alternatives of `expr`
// from its end: the last one, OR, is 1.
parser grammar KvSql;

options { tokenVocab = KvSqlTokens; }

// ---------------------------------------------------------------------------------------- statements

statement : explain? command EOF ;

explain : 'EXPLAIN' ('QUERY' 'PLAN')? ;

command
  : selectStatement
  | insertStatement
  | updateStatement
  | deleteStatement
  | createTable
  | createIndex
  | createView
  | createTrigger
  | createVirtualTable
  | dropStatement
  | alterTable
  | beginStatement
  | commitStatement
  | rollbackStatement
  | savepointStatement
  | releaseStatement
  | pragmaStatement
  | attachStatement
  | detachStatement
  | analyzeStatement
  | reindexStatement
  | vacuumStatement
  ;

// ---------------------------------------------------------------------------------------- names

// Keywords that are names where no keyword fits. Where an expression begins, some of them always fit.
fallbackKeyword
  : expressionKeyword | 'CAST' | 'CURRENT_DATE' | 'CURRENT_TIME' | 'CURRENT_TIMESTAMP' | 'RAISE'
  ;
expressionKeyword
  : 'ABORT' | 'ACTION' | 'AFTER' | 'ALWAYS' | 'ANALYZE' | 'ASC' | 'ATTACH' | 'BEFORE' | 'BEGIN' | 'BY'
  | 'CASCADE' | 'COLUMN' | 'CONFLICT' | 'CURRENT'
  | 'DATABASE' | 'DEFERRED' | 'DESC' | 'DETACH' | 'DO' | 'EACH' | 'END' | 'EXCLUDE'
  | 'EXCLUSIVE' | 'EXPLAIN' | 'FAIL' | 'FIRST' | 'FOLLOWING' | 'FOR' | 'GENERATED' | 'GLOB' | 'GROUPS'
  | 'IF' | 'IGNORE' | 'IMMEDIATE' | 'INITIALLY' | 'INSTEAD' | 'KEY' | 'LAST' | 'LIKE' | 'MATCH'
  | 'MATERIALIZED' | 'NO' | 'NULLS' | 'OF' | 'OFFSET' | 'OTHERS' | 'PARTITION' | 'PLAN' | 'PRAGMA'
  | 'PRECEDING' | 'QUERY' | 'RANGE' | 'RECURSIVE' | 'REGEXP' | 'REINDEX' | 'RELEASE' | 'RENAME'
  | 'REPLACE' | 'RESTRICT' | 'ROLLBACK' | 'ROW' | 'ROWS' | 'SAVEPOINT' | 'TEMP' | 'TEMPORARY' | 'TIES'
  | 'TRIGGER' | 'UNBOUNDED' | 'VACUUM' | 'VIEW' | 'VIRTUAL' | 'WITH' | 'WITHOUT'
  ;

joinKeyword : 'CROSS' | 'FULL' | 'INNER' | 'LEFT' | 'NATURAL' | 'OUTER' | 'RIGHT' ;

identifier : ID | fallbackKeyword ;
// Columns, functions and whatever else a `name` is may also be called by a join keyword.
columnIdentifier : ID | expressionKeyword | 'INDEXED' | joinKeyword ;
columnName : columnIdentifier | STRING ;
name : identifier | 'INDEXED' | joinKeyword | STRING ;
// A name that may follow an expression or a table without AS.
bareAlias : identifier | STRING ;

qualifiedName : name ('.' name)? ;
nameList : name (',' name)* ;
parenthesisedNames : '(' nameList ')' ;

typeWord
  : ID | STRING
  | fallbackKeyword
  ;
typeName : typeWord+ ('(' signedNumber (',' signedNumber)? ')')? ;
signedNumber : ('+' | '-')? (INTEGER_LITERAL | FLOAT_LITERAL) ;

// ---------------------------------------------------------------------------------------- SELECT

selectStatement : select ;

select : withClause? selectCore (compoundOperator selectCore)* orderBy? limit? ;

compoundOperator : 'UNION' 'ALL'? | 'EXCEPT' | 'INTERSECT' ;

withClause : 'WITH' 'RECURSIVE'? commonTable (',' commonTable)* ;
commonTable : name parenthesisedNames? 'AS' ('NOT'? 'MATERIALIZED')? '(' select ')' ;

selectCore
  : 'SELECT' ('DISTINCT' | 'ALL')? resultColumns fromClause? whereClause? groupBy? having? windowClause?
  | valuesClause
  ;

valuesClause : 'VALUES' valuesRow (',' valuesRow)* ;
valuesRow : '(' expressions ')' ;

resultColumns : resultColumn (',' resultColumn)* ;
resultColumn
  : '*'
  | name '.' '*'
  | expr ('AS' name | bareAlias)?
  ;

fromClause : 'FROM' tableList ;
tableList : tableTerm (joinOperator tableTerm)* ;
joinOperator : ',' | joinKeyword* 'JOIN' ;
tableTerm : tableSource ('ON' expr)? ('USING' parenthesisedNames)? ;
tableSource
  : qualifiedName '(' expressions? ')' tableAlias?
  | qualifiedName tableAlias? indexedBy?
  | '(' select ')' tableAlias?
  | '(' tableList ')' tableAlias?
  ;
tableAlias : 'AS' name | bareAlias ;
indexedBy : 'INDEXED' 'BY' name | 'NOT' 'INDEXED' ;

whereClause : 'WHERE' expr ;
groupBy : 'GROUP' 'BY' expressions ;
having : 'HAVING' expr ;
windowClause : 'WINDOW' namedWindow (',' namedWindow)* ;
namedWindow : name 'AS' '(' windowDefinition ')' ;

orderBy : 'ORDER' 'BY' orderingTerms ;
orderingTerms : orderingTerm (',' orderingTerm)* ;
orderingTerm : expr ('ASC' | 'DESC')? ('NULLS' ('FIRST' | 'LAST'))? ;
limit : 'LIMIT' expr (('OFFSET' | ',') expr)? ;

// ---------------------------------------------------------------------------------------- INSERT, UPDATE, DELETE

conflictAction : 'ROLLBACK' | 'ABORT' | 'FAIL' | 'IGNORE' | 'REPLACE' ;

targetTable : qualifiedName ('AS' name)? ;

insertStatement
  : withClause? ('INSERT' ('OR' conflictAction)? | 'REPLACE') 'INTO' targetTable parenthesisedNames?
    (select upsert* | 'DEFAULT' 'VALUES') returning?
  ;
upsert
  : 'ON' 'CONFLICT' ('(' orderingTerms ')' whereClause?)?
    'DO' ('NOTHING' | 'UPDATE' 'SET' assignments whereClause?)
  ;
returning : 'RETURNING' resultColumns ;

assignments : assignment (',' assignment)* ;
assignment : name '=' expr | parenthesisedNames '=' expr ;

updateStatement
  : withClause? 'UPDATE' ('OR' conflictAction)? targetTable indexedBy? 'SET' assignments fromClause? whereClause?
    returning? orderBy? limit?
  ;

deleteStatement
  : withClause? 'DELETE' 'FROM' targetTable indexedBy? whereClause? returning? orderBy? limit?
  ;

// ---------------------------------------------------------------------------------------- schema

temporary : 'TEMP' | 'TEMPORARY' ;
ifNotExists : 'IF' 'NOT' 'EXISTS' ;

createTable
  : 'CREATE' temporary? 'TABLE' ifNotExists? qualifiedName
    ( '(' columnDefinition (',' columnDefinition)* (','? tableConstraint)* ')'
      (tableOption (',' tableOption)*)? storageOptions?
    | 'AS' select
    )
  ;
tableOption : 'WITHOUT' name | name ;
// Not SQLite's.
storageOptions : 'WITH' '(' storageOption (',' storageOption)* ')' ;
storageOption : name '=' (name | signedLiteral) ;

columnDefinition : name typeName? columnConstraint* ;
conflictClause : 'ON' 'CONFLICT' conflictAction ;

columnConstraint
  : 'CONSTRAINT' name                                              # columnConstraintName
  | 'DEFAULT' ( '(' expr ')' | signedLiteral | identifier )        # columnDefault
  | 'NULL' conflictClause?                                         # columnNull
  | 'NOT' 'NULL' conflictClause?                                   # columnNotNull
  | 'PRIMARY' 'KEY' ('ASC' | 'DESC')? conflictClause? 'AUTOINCREMENT'?  # columnPrimaryKey
  | 'UNIQUE' conflictClause?                                       # columnUnique
  | 'CHECK' '(' expr ')'                                           # columnCheck
  | references                                                     # columnReferences
  | deferrable                                                     # columnDeferrable
  | 'COLLATE' bareAlias                                            # columnCollate
  | ('GENERATED' 'ALWAYS')? 'AS' '(' expr ')' identifier?          # columnGenerated
  ;
signedLiteral : ('+' | '-')? literalValue ;

tableConstraint
  : 'CONSTRAINT' name                                                       # tableConstraintName
  | 'PRIMARY' 'KEY' '(' orderingTerms 'AUTOINCREMENT'? ')' conflictClause?  # tablePrimaryKey
  | 'UNIQUE' '(' orderingTerms ')' conflictClause?                          # tableUnique
  | 'CHECK' '(' expr ')' conflictClause?                                    # tableCheck
  | 'FOREIGN' 'KEY' parenthesisedNames references deferrable?               # tableForeignKey
  ;
references : 'REFERENCES' name parenthesisedNames? referenceArgument* ;
referenceArgument
  : 'ON' ('DELETE' | 'UPDATE' | 'INSERT') referenceAction
  | 'MATCH' name
  ;
referenceAction : 'SET' 'NULL' | 'SET' 'DEFAULT' | 'CASCADE' | 'RESTRICT' | 'NO' 'ACTION' ;
deferrable : 'NOT'? 'DEFERRABLE' ('INITIALLY' ('DEFERRED' | 'IMMEDIATE'))? ;

createIndex
  : 'CREATE' 'UNIQUE'? 'INDEX' ifNotExists? qualifiedName 'ON' name '(' orderingTerms ')' whereClause?
  ;

createView
  : 'CREATE' temporary? 'VIEW' ifNotExists? qualifiedName parenthesisedNames? 'AS' select
  ;

createTrigger
  : 'CREATE' temporary? 'TRIGGER' ifNotExists? qualifiedName ('BEFORE' | 'AFTER' | 'INSTEAD' 'OF')?
    triggerEvent 'ON' qualifiedName ('FOR' 'EACH' 'ROW')? ('WHEN' expr)? 'BEGIN' (triggerCommand ';')+ 'END'
  ;
triggerEvent : 'DELETE' | 'INSERT' | 'UPDATE' ('OF' nameList)? ;
triggerCommand : insertStatement | updateStatement | deleteStatement | selectStatement ;

createVirtualTable
  : 'CREATE' 'VIRTUAL' 'TABLE' ifNotExists? qualifiedName 'USING' name
    ('(' moduleArgument (',' moduleArgument)* ')')?
  ;
moduleArgument : moduleToken* ;
moduleToken : ~('(' | ')' | ',') | '(' (moduleToken | ',')* ')' ;

dropStatement : 'DROP' ('TABLE' | 'INDEX' | 'VIEW' | 'TRIGGER') ('IF' 'EXISTS')? qualifiedName ;

alterTable
  : 'ALTER' 'TABLE' qualifiedName
    ( 'RENAME' 'TO' name
    | 'RENAME' 'COLUMN'? name 'TO' name
    | 'ADD' 'COLUMN'? columnDefinition
    | 'DROP' 'COLUMN'? name
    )
  ;

// ---------------------------------------------------------------------------------------- transactions and the rest

beginStatement
  : 'BEGIN' ('DEFERRED' | 'IMMEDIATE' | 'EXCLUSIVE')? ('TRANSACTION' name?)?
  ;
commitStatement : ('COMMIT' | 'END') ('TRANSACTION' name?)? ;
rollbackStatement : 'ROLLBACK' ('TRANSACTION' name?)? ('TO' 'SAVEPOINT'? name)? ;
savepointStatement : 'SAVEPOINT' name ;
releaseStatement : 'RELEASE' 'SAVEPOINT'? name ;

pragmaStatement
  : 'PRAGMA' qualifiedName ('=' pragmaValue | '(' pragmaValue ')')?
  ;
pragmaValue : signedNumber | name | 'ON' | 'DELETE' | 'DEFAULT' ;

attachStatement : 'ATTACH' 'DATABASE'? expr 'AS' expr ('KEY' expr)? ;
detachStatement : 'DETACH' 'DATABASE'? expr ;
analyzeStatement : 'ANALYZE' qualifiedName? ;
reindexStatement : 'REINDEX' qualifiedName? ;
vacuumStatement : 'VACUUM' name? ('INTO' expr)? ;

// ---------------------------------------------------------------------------------------- expressions

expressions : expr (',' expr)* ;

literalValue
  : INTEGER_LITERAL | FLOAT_LITERAL | STRING | BLOB | 'NULL'
  | 'CURRENT_DATE' | 'CURRENT_TIME' | 'CURRENT_TIMESTAMP'
  ;

expr
  : literalValue                                                          # literalExpr
  | LIFTED                                                                # liftedExpr
  | PARAMETER                                                             # parameterExpr
  | 'CAST' '(' expr 'AS' typeName? ')'                                    # castExpr
  | 'RAISE' '(' ('IGNORE' | ('ROLLBACK' | 'ABORT' | 'FAIL') ',' name) ')' # raiseExpr
  | functionCall                                                          # functionExpr
  | columnIdentifier                                                      # columnExpr
  | columnName '.' name ('.' name)?                                       # qualifiedColumnExpr
  | '(' select ')'                                                        # subqueryExpr
  | '(' expressions ')'                                                   # parenthesisedExpr
  | 'EXISTS' '(' select ')'                                               # existsExpr
  | 'CASE' caseOperand? caseWhen+ ('ELSE' expr)? 'END'                    # caseExpr
  | ('-' | '+' | '~') expr                                                # signExpr
  | expr 'COLLATE' bareAlias                                              # collateExpr
  | expr ('||' | '->' | '->>') expr                                       # concatExpr
  | expr ('*' | '/' | '%') expr                                           # multiplyExpr
  | expr ('+' | '-') expr                                                 # addExpr
  | expr ('<<' | '>>' | '&' | '|') expr                                   # bitExpr
  | expr ('<' | '<=' | '>' | '>=') expr                                   # orderExpr
  | expr comparison                                                       # comparisonExpr
  | 'NOT' expr                                                            # notExpr
  | expr 'AND' expr                                                       # andExpr
  | expr 'OR' expr                                                        # orExpr
  ;

// Operators of one rank, grouped from the left: that is why they share an alternative.
comparison
  : ('=' | '<>') expr<p=5>
  | 'IS' 'NOT'? ('DISTINCT' 'FROM')? expr<p=5>
  | 'NOT'? ('LIKE' | 'GLOB' | 'REGEXP' | 'MATCH') expr<p=5> ('ESCAPE' expr<p=5>)?
  | 'NOT'? 'BETWEEN' expr<p=3> 'AND' expr<p=5>
  | 'NOT'? 'IN' inOperand
  | 'ISNULL'
  | 'NOTNULL'
  | 'NOT' 'NULL'
  ;

caseOperand : expr ;
caseWhen : 'WHEN' expr 'THEN' expr ;

inOperand
  : '(' select ')'
  | '(' expressions? ')'
  | qualifiedName ('(' expressions? ')')?
  ;

functionCall
  : columnIdentifier '(' (('DISTINCT' | 'ALL')? expressions? | '*') ')' filterClause? overClause?
  ;
filterClause : 'FILTER' '(' 'WHERE' expr ')' ;
overClause : 'OVER' ('(' windowDefinition ')' | name) ;

windowDefinition : windowBase? ('PARTITION' 'BY' expressions)? orderBy? frame? ;
windowBase : name ;
frame
  : ('RANGE' | 'ROWS' | 'GROUPS') (frameBound | 'BETWEEN' frameBound 'AND' frameBound) frameExclude?
  ;
frameBound
  : 'UNBOUNDED' 'PRECEDING'
  | 'UNBOUNDED' 'FOLLOWING'
  | 'CURRENT' 'ROW'
  | expr ('PRECEDING' | 'FOLLOWING')
  ;
frameExclude : 'EXCLUDE' ('NO' 'OTHERS' | 'CURRENT' 'ROW' | 'GROUP' | 'TIES') ;
