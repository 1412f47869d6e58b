import { join, relative } from 'node:path';
import {
  SyntaxKind,
  type ArrowFunction,
  type Expression,
  type FunctionExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { API, TypeFlags, type Checker, type Type } from 'typescript/unstable/sync';

/*
 * Finds generators that are created, but that nothing runs. A call of a generator function does nothing by itself:
 * `send(...)` without `yield*` writes nothing, and `requireCredential(...)` refuses nothing. Neither the compiler nor
 * the linter notices, as they would a promise that nobody awaits.
 */

export interface DroppedGenerator {
  /** Relative to the folder of the project: `src/storage/rows/pets.ts`. */
  file: string;
  line: number;
  text: string;
}

/** An expression whose value may be dropped. */
interface Place {
  expression: Expression;
  /** The function that returns the value, or the expression itself if it is one: its receiver may drop the result. */
  passed?: Expression;
}

/** @param configFile of a project that contains `generator-types.ts` */
export function findDroppedGenerators(configFile: string): readonly DroppedGenerator[] {
  const folder = join(configFile, '..');
  const api = new API({ cwd: folder });
  try {
    const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile);
    if (project === undefined) throw new Error(`The project ${configFile} was not found.`);
    const { program, checker } = project;
    const names = program
      .getSourceFileNames()
      .filter((name) => name.startsWith(`${folder}/`) && !name.includes('/node_modules/'));
    const files = names.map((name) => program.getSourceFile(name)).filter((file) => file !== undefined);
    const types = new GeneratorTypes(checker, files);
    return files.flatMap((file) => droppedIn(file, checker, types, folder));
  } finally {
    api.close();
  }
}

function droppedIn(
  file: SourceFile,
  checker: Checker,
  types: GeneratorTypes,
  folder: string,
): readonly DroppedGenerator[] {
  const places = [...placesIn(file)];
  const found = typesOf(
    places.map(({ expression }) => expression),
    checker,
  );
  return places
    .filter((place, index) => {
      const type = found[index];
      return type !== undefined && types.isDropped(place, type);
    })
    .map(({ expression }) => ({
      file: relative(folder, file.fileName),
      line: file.text.slice(0, expression.getStart(file)).split('\n').length,
      text: expression.getText(file).split('\n')[0] ?? '',
    }));
}

function typesOf(expressions: readonly Expression[], checker: Checker): readonly (Type | undefined)[] {
  try {
    // One request for the whole file: a request takes longer than its answer.
    return checker.getTypeAtLocation(expressions);
  } catch (error) {
    // TypeScript 7.0.2 cannot return the type of an empty tuple.
    if (!(error instanceof Error) || !error.message.includes('not *checker.TupleType')) throw error;
    return expressions.length === 1 ? [undefined] : expressions.flatMap((each) => typesOf([each], checker));
  }
}

function* placesIn(node: Node, within?: Expression): Generator<Place> {
  for (const expression of droppedBy(node)) if (!isAssignment(expression)) yield { expression };
  for (const argument of argumentsOf(node)) if (isReference(argument)) yield { expression: argument, passed: argument };
  const inner = is.isFunctionLikeDeclaration(node) ? (isPassable(node) ? node : undefined) : within;
  const returned = returnedBy(node);
  if (returned !== undefined && inner !== undefined) yield { expression: returned, passed: inner };
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* placesIn(child, inner);
}

function droppedBy(node: Node): readonly Expression[] {
  if (is.isExpressionStatement(node) || is.isVoidExpression(node)) return [node.expression];
  // A generator is always true.
  if (is.isIfStatement(node) || is.isWhileStatement(node) || is.isDoStatement(node)) return [node.expression];
  if (is.isConditionalExpression(node)) return [node.condition];
  if (is.isPrefixUnaryExpression(node)) return [node.operand];
  if (is.isForStatement(node))
    return [node.initializer, node.condition, node.incrementor].filter(
      (part): part is Expression => part !== undefined && !is.isVariableDeclarationList(part),
    );
  if (!is.isBinaryExpression(node)) return [];
  const { kind } = node.operatorToken;
  return kind === SyntaxKind.CommaToken || kind === SyntaxKind.AmpersandAmpersandToken ? [node.left] : [];
}

function argumentsOf(node: Node): readonly Expression[] {
  return is.isCallExpression(node) || is.isNewExpression(node) ? (node.arguments ?? []) : [];
}

function isReference(node: Node): boolean {
  const isGenerator = is.isFunctionExpression(node) && node.asteriskToken !== undefined;
  return isGenerator || is.isIdentifier(node) || is.isPropertyAccessExpression(node);
}

function isPassable(node: Node): node is ArrowFunction | FunctionExpression {
  if (!is.isArrowFunction(node) && !is.isFunctionExpression(node)) return false;
  // A function that is returned or assigned may be called by anybody.
  const { parent } = node;
  return is.isCallExpression(parent) || is.isNewExpression(parent) || is.isPropertyAssignment(parent);
}

function returnedBy(node: Node): Expression | undefined {
  if (is.isReturnStatement(node)) return node.expression;
  return is.isArrowFunction(node) && !is.isBlock(node.body) ? node.body : undefined;
}

/** The compiler refuses a variable that is never read. */
function isAssignment(expression: Expression): boolean {
  if (!is.isBinaryExpression(expression)) return false;
  const { kind } = expression.operatorToken;
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

/** Requests are slow, and most types are none of these. */
const MAY_HOLD = TypeFlags.Object | TypeFlags.Union | TypeFlags.Intersection;

type Probe = readonly [generator: Type, other: Type, unused?: Type];

class GeneratorTypes {
  readonly #checker: Checker;
  readonly #values: readonly Probe[];
  readonly #functions: readonly Probe[];
  readonly #holders = new Map<Type, boolean>();
  readonly #sources = new Map<Type, boolean>();

  constructor(checker: Checker, files: readonly SourceFile[]) {
    this.#checker = checker;
    const file = files.find(({ fileName }) => fileName.endsWith('/generator-types.ts'));
    this.#values = this.#probesOf(file, 'Values');
    this.#functions = this.#probesOf(file, 'Functions');
  }

  isDropped({ expression, passed }: Place, type: Type): boolean {
    if (passed === undefined) return this.#isHolder(type);
    if (!(passed === expression ? this.#isSource(type) : this.#isHolder(type))) return false;
    const context = this.#checker.getContextualType(passed);
    return (
      context !== undefined &&
      this.#functions.some(([, , unused]) => unused !== undefined && this.#fits(unused, context))
    );
  }

  /** Whether values of the type are generators, or contain some. */
  #isHolder(type: Type): boolean {
    return this.#remember(this.#holders, type, () =>
      this.#values.some(([generator, other]) => this.#fits(generator, type) && !this.#fits(other, type)),
    );
  }

  /** Whether the type is of functions that return generators. */
  #isSource(type: Type): boolean {
    return this.#remember(this.#sources, type, () =>
      this.#functions.some(([generator, other]) => this.#fits(type, generator) && !this.#fits(type, other)),
    );
  }

  #remember(known: Map<Type, boolean>, type: Type, find: () => boolean): boolean {
    const isKnown = known.get(type) ?? ((type.flags & MAY_HOLD) !== 0 && find());
    known.set(type, isKnown);
    return isKnown;
  }

  #fits(source: Type, target: Type): boolean {
    return this.#checker.isTypeAssignableTo(source, target);
  }

  #probesOf(file: SourceFile | undefined, name: string): readonly Probe[] {
    const alias = file?.statements.filter(is.isTypeAliasDeclaration).find((each) => each.name.text === name);
    if (alias === undefined || !is.isTupleTypeNode(alias.type)) throw new Error(`The type ${name} was not found.`);
    return alias.type.elements.filter(is.isTupleTypeNode).map((probe) => {
      const [generator, other, unused] = probe.elements.map((each) => this.#checker.getTypeFromTypeNode(each));
      if (generator === undefined || other === undefined) throw new Error(`${name} is not a list of tuples.`);
      return unused === undefined ? [generator, other] : [generator, other, unused];
    });
  }
}
