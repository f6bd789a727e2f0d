import { relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { timeLimit } from '../build/time-limit';

/**
 * Returns the places at which JSX renders a text beside other children, or directly in a fragment. The page translator
 * of a browser replaces each text node. React can then neither change that text nor insert an element before it, unless
 * the text is the only child of its element.
 */
function findTextsWithSiblings(program: ts.Program, file: ts.SourceFile): string[] {
  const checker = program.getTypeChecker();
  const elements = typeElements(program);
  const found: string[] = [];

  function visit(node: ts.Node): void {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      const children = node.children.filter(isRendered);
      const isOnlyChild = children.length === 1 && !isFragment(node);
      if (!isOnlyChild) found.push(...children.filter(isText).map(placeOf));
    }
    ts.forEachChild(node, visit);
  }
  const isText = (child: ts.JsxChild): boolean =>
    ts.isJsxText(child) ||
    (ts.isJsxExpression(child) &&
      child.expression !== undefined &&
      !checker.isTypeAssignableTo(checker.getTypeAtLocation(child.expression), elements));

  function placeOf(child: ts.JsxChild): string {
    const { line } = file.getLineAndCharacterOfPosition(child.getStart(file));
    return `${relative('', file.fileName)}:${line + 1}: ${child.getText(file)}`;
  }

  visit(file);
  return found;
}

/** Returns the type `Elements` of `components/elements.ts`. */
function typeElements(program: ts.Program): ts.Type {
  const [declared] =
    program
      .getSourceFile('src/components/elements.ts')
      ?.statements.filter(ts.isTypeAliasDeclaration) ?? [];
  if (!declared) throw new Error('there is no type Elements');
  return program.getTypeChecker().getTypeAtLocation(declared);
}

/** Comments, and whitespace with a line break, render nothing. */
function isRendered(child: ts.JsxChild): boolean {
  if (ts.isJsxText(child)) return !child.containsOnlyTriviaWhiteSpaces;
  return !ts.isJsxExpression(child) || child.expression !== undefined;
}

const isFragment = (node: ts.JsxElement | ts.JsxFragment): boolean =>
  ts.isJsxFragment(node) || node.openingElement.tagName.getText() === 'Fragment';

/** Each line contains one mistake. */
const MISTAKES = `import { Fragment, type ReactNode } from 'react';
export const Mistakes = ({ busy, list, children }: { busy?: string; list: string[]; children: ReactNode }) => [
  <button>{busy ? <i /> : null}{busy || 'Send'}</button>,
  <p>{busy ? <i /> : null}<b />Password fits</p>,
  <div><h1>Title</h1>{children}</div>,
  <p><b />{list.length}</p>,
  <p><b />{list.map((item) => item)}</p>,
  <p><b />{' '}<i>{busy}</i></p>,
  <>{busy}</>,
  <Fragment key={1}>{busy}</Fragment>,
];
export const Correct = ({ busy, list }: { busy: string; list: string[] }) =>
  <div>
    {/* a comment */}
    {busy && <i />}
    <p>{busy}</p>
    {list.map((item) => <p key={item}>{item || busy}</p>)}
  </div>;
`;
const MISTAKE_LINES = [3, 4, 5, 6, 7, 8, 9, 10];

test('a text beside other children has an element of its own', {
  timeout: timeLimit(120_000),
}, () => {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const screens = fileNames.filter((name) => name.endsWith('.tsx') && !name.includes('.test.'));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === 'src/mistakes.tsx'
      ? ts.createSourceFile(name, MISTAKES, ts.ScriptTarget.ESNext, true)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([...fileNames, 'src/mistakes.tsx'], options, host);
  const placesIn = (name: string) => {
    const file = program.getSourceFile(name);
    if (!file) throw new Error(`${name} was not compiled`);
    return findTextsWithSiblings(program, file);
  };

  const mistakes = placesIn('src/mistakes.tsx').map((place) => Number(place.split(':')[1]));
  expect(mistakes).toEqual(MISTAKE_LINES);
  expect(screens.flatMap(placesIn)).toEqual([]);
});
