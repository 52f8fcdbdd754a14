import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import ts from 'typescript';
import { scriptMutations, shellMutations } from './shell-mutations.ts';

/** One small change to a source that a test should notice. */
export interface Candidate {
  /** From the root of the checkout. */
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A statement is left out; an expression is replaced. */
  readonly form: 'expression' | 'statement';
  /** A mutant of a script that the source reads: its file and line, and the whole text of the mutant. */
  readonly script?: { readonly file: string; readonly line: number; readonly text: string };
  /** Stays the same while the lines around it change, so that a seed means the same sample tomorrow. */
  readonly key: string;
}

const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
]);
const EQUALITY: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
const OTHER_METHOD: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  push: 'unshift',
};
/** What can be left out of a chain of calls. */
const REFINEMENTS: ReadonlySet<string> = new Set([
  'trim',
  'trimEnd',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'filter',
  'slice',
  'toLowerCase',
  'replaceAll',
]);

/** All mutants of a file. The compiler and a seed choose among them. */
export function candidatesOf(file: string, text: string): readonly Candidate[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Candidate[] = [];
  const times = new Map<string, number>();
  const add = (node: ts.Node, kind: string, replacement: string, form: Candidate['form'] = 'expression'): void => {
    const start = node.getStart(source);
    const same = `${file}\n${kind}\n${node.getText(source)}\n${replacement}`;
    const nth = times.get(same) ?? 0;
    times.set(same, nth + 1);
    const key = createHash('sha256').update(`${same}\n${nth}`).digest('hex').slice(0, 16);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, kind, start, end: node.end, replacement, form, key });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (!isWithinChain(node)) mutationsOf(node, source, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * All mutants of a script that a source reads (src/host/shell-source.ts): there its URL is replaced by the text of the mutant.
 */
export function scriptCandidatesOf(
  script: { readonly file: string; readonly text: string },
  source: { readonly file: string; readonly text: string },
): readonly Candidate[] {
  const name = `new URL('./${basename(script.file)}', import.meta.url)`;
  const start = source.text.indexOf(name);
  if (start < 0) return [];
  const times = new Map<string, number>();
  return scriptMutations(script.text).map(({ kind, text, index }) => {
    const line = script.text.slice(0, index).split('\n').length;
    const same = `${script.file}\n${kind}\n${script.text.split('\n')[line - 1]}`;
    const nth = times.get(same) ?? 0;
    times.set(same, nth + 1);
    return {
      file: source.file,
      line: source.text.slice(0, start).split('\n').length,
      kind,
      start,
      end: start + name.length,
      replacement: `{ text: ${JSON.stringify(text)} }`,
      form: 'expression',
      key: createHash('sha256').update(`${same}\n${nth}`).digest('hex').slice(0, 16),
      script: { file: script.file, line, text },
    };
  });
}

type Add = (node: ts.Node, kind: string, replacement: string, form?: Candidate['form']) => void;

function mutationsOf(node: ts.Node, source: ts.SourceFile, add: Add): void {
  const text = (one: ts.Node): string => one.getText(source);
  const condition = conditionOf(node);
  if (condition !== undefined && !isEquality(condition)) add(condition, 'condition negated', `!(${text(condition)})`);
  if (ts.isBinaryExpression(node)) {
    const other = OPERATORS.get(node.operatorToken.kind);
    const kind = `${text(node.operatorToken)} becomes ${other}`;
    if (other !== undefined) add(node, kind, `${text(node.left)} ${other} ${text(node.right)}`);
  } else if (ts.isCallExpression(node)) {
    callMutations(node, text, add);
  } else if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node)) {
    add(node.expression, 'spread left out', ts.isSpreadAssignment(node) ? '{}' : '[]');
  } else if (isLeftOut(node)) {
    add(node, 'statement left out', '', 'statement');
  } else {
    literalMutations(node, source, add);
  }
}

function callMutations(node: ts.CallExpression, text: (one: ts.Node) => string, add: Add): void {
  if (!ts.isPropertyAccessExpression(node.expression) || node.expression.questionDotToken) return;
  const { expression: receiver, name } = node.expression;
  const other = Object.hasOwn(OTHER_METHOD, name.text) ? OTHER_METHOD[name.text] : undefined;
  const given = node.arguments.map(text).join(', ');
  if (other !== undefined) add(node, `${name.text} becomes ${other}`, `${text(receiver)}.${other}(${given})`);
  if (REFINEMENTS.has(name.text)) add(node, `${name.text} left out`, text(receiver));
}

function literalMutations(node: ts.Node, source: ts.SourceFile, add: Add): void {
  if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'true becomes false', 'false');
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'false becomes true', 'true');
  else if (ts.isNumericLiteral(node) && isValue(node)) add(node, 'another number', `${node.getText(source)} + 1`);
  // Words for people are left alone: no test should repeat them all.
  else if (ts.isStringLiteral(node) && isValue(node) && /^[^\s]+$/.test(node.text)) add(node, 'empty text', `''`);
  else if (
    ts.isTaggedTemplateExpression(node) ||
    (ts.isTemplateLiteral(node) && !ts.isTaggedTemplateExpression(node.parent))
  )
    for (const { kind, text } of shellMutations(node.getText(source))) add(node, kind, text);
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) ? node.condition : undefined;
}

function isEquality(node: ts.Expression): boolean {
  return ts.isBinaryExpression(node) && EQUALITY.has(node.operatorToken.kind);
}

/** A call whose result nobody takes, or an early end: return, throw, continue in a branch. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node)) {
    const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
    return ts.isCallExpression(called) && called.expression.kind !== ts.SyntaxKind.SuperKeyword;
  }
  if (!ts.isReturnStatement(node) && !ts.isThrowStatement(node) && !ts.isContinueStatement(node)) return false;
  const branch = ts.isBlock(node.parent) && node.parent.statements.length === 1 ? node.parent : node;
  return ts.isIfStatement(branch.parent) && branch.parent.thenStatement === branch;
}

/** Within `a?.b.c()` nothing but the whole can be put into brackets. */
function isWithinChain(node: ts.Node): boolean {
  return ts.isOptionalChain(node) && ts.isExpression(node.parent) && ts.isOptionalChain(node.parent);
}

/** `list[i] ?? 0`: there for the compiler, which does not know that the index is in range. */
function isUnneededFallback(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return false;
  const { left } = node;
  if (ts.isElementAccessExpression(left)) return true;
  return (
    ts.isCallExpression(left) &&
    ts.isPropertyAccessExpression(left.expression) &&
    /^(at|get)$/.test(left.expression.name.text)
  );
}

/** Whether a literal is a value and not a name or a type. */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (isUnneededFallback(parent)) return false;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) return parent.name !== node;
  if (ts.isLiteralTypeNode(parent) || ts.isPropertySignature(parent) || ts.isExternalModuleReference(parent))
    return false;
  return !(ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword);
}
