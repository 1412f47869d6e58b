import type { Header, Table } from './columns.ts';
import { NO_CONVENTIONS, type Answers, type Conventions, type Question } from './profiles/conventions.ts';
import { orderOf, type DateOrder } from './profiles/profile-dates.ts';
import { readNumber, unitIn } from './profiles/profile-numbers.ts';

interface DateColumn {
  orders: Set<DateOrder>;
  /** The name of the column and a date with two meanings, if it has one. */
  question: Question | undefined;
}

/** Collects what the columns of a table say about the meaning of their cells: 05/21/2026 decides for all others. */
export class Survey {
  readonly #table: Table;
  readonly #answers: Answers;
  readonly #assumed: Answers;
  readonly #dates = new Map<string, DateColumn>();
  #header: Header | undefined;
  #weightQuestion: Question | undefined;

  /** @param assumed answers that apply without being given, but are shown */
  constructor(table: Table, answers: Answers, assumed: Answers) {
    this.#table = table;
    this.#answers = answers;
    this.#assumed = assumed;
  }

  add(header: Header, cells: readonly string[]): void {
    this.#header = header;
    const { names, columns } = header;
    for (const [index, column] of columns.entries()) {
      const [name = '', text = ''] = [names[index], cells[index]?.trim()];
      if (column === undefined || text === '') continue;
      if (this.#table.typeOf(column) === 'date') this.#addDate(column, name, text);
      else if (column === 'weightKg' && (readNumber(text) ?? 0) > 0)
        this.#weightQuestion ??= { about: 'weights', name, example: text };
    }
  }

  #addDate(column: string, name: string, example: string): void {
    const order = orderOf(example);
    if (order === undefined) return;
    const known = this.#dates.get(column) ?? { orders: new Set(), question: undefined };
    this.#dates.set(column, known);
    if (order === 'either') known.question ??= { about: 'dates', name, example };
    else known.orders.add(order);
  }

  /** With the questions that the file does not answer, also those with an assumed answer. */
  result(): { conventions: Conventions; questions: readonly Question[] } {
    const [{ dates, weights }, assumed] = [this.#answers, this.#assumed];
    const ofFile = onlyOne([...this.#dates.values()].flatMap(({ orders }) => [...orders]));
    const dateOrders = new Map<string, DateOrder>();
    const questions: Question[] = [];
    for (const [column, { orders, question }] of this.#dates) {
      const order = onlyOne([...orders]) ?? (orders.size === 0 ? ofFile : undefined) ?? dates;
      if (order === undefined && question !== undefined) questions.push(assuming(question, assumed.dates));
      const used = order ?? assumed.dates;
      if (used !== undefined) dateOrders.set(column, used);
    }
    const ofHeader = this.#header === undefined ? NO_CONVENTIONS : conventionsOf(this.#header);
    const { weightUnit = weights } = ofHeader;
    if (weightUnit === undefined && this.#weightQuestion !== undefined)
      questions.push(assuming(this.#weightQuestion, assumed.weights));
    return { conventions: { ...ofHeader, dateOrders, weightUnit: weightUnit ?? assumed.weights }, questions };
  }
}

function assuming(question: Question, assumed: Question['assumed']): Question {
  return assumed === undefined ? question : { ...question, assumed };
}

/** The conventions that follow from the names of the columns. */
export function conventionsOf({ names, columns, recognized }: Header): Conventions {
  const nameOf = (column: string) => names[columns.indexOf(column)] ?? '';
  return {
    ...NO_CONVENTIONS,
    weightUnit: unitIn(nameOf('weightKg')),
    isOfProgram: recognized !== undefined,
    areAgesInMonths: /mo(?:nth|nat)/i.test(nameOf('estimatedAge')),
  };
}

/** The only value of a list; undefined if it has none or several. */
function onlyOne<T>(values: readonly T[]): T | undefined {
  const different = new Set(values);
  return different.size === 1 ? values[0] : undefined;
}
