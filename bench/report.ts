import { mkdir, writeFile } from 'node:fs/promises';
import { describeMachine, type Machine, machineLine } from './machine.ts';

export type Row = Readonly<Record<string, string | number>>;

/** The results of one benchmark: a table on the terminal, and all measurements as JSON in `bench/results/`. */
export class Report {
  readonly #name: string;
  readonly #machine: Machine = describeMachine();
  readonly #startedAt = new Date();
  readonly #rows: Row[] = [];
  readonly #notes: string[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  add(row: Row): void {
    this.#rows.push(row);
  }

  /** A line below the table. */
  note(text: string): void {
    this.#notes.push(text);
  }

  async finish(details: object): Promise<void> {
    console.table(this.#rows);
    for (const note of this.#notes) console.log(note);
    console.log(machineLine(this.#machine));
    const name = this.#name;
    const machine = this.#machine;
    const startedAt = this.#startedAt;
    const rows = this.#rows;
    const notes = this.#notes;
    const folder = new URL('./results/', import.meta.url);
    await mkdir(folder, { recursive: true });
    const stamp = startedAt.toISOString().replace(/[:.]/g, '-');
    const content = { name, startedAt, machine, rows, notes, details };
    await writeFile(new URL(`${name}-${stamp}.json`, folder), `${JSON.stringify(content, null, 2)}\n`);
  }
}
