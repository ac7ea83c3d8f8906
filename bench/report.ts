import { mkdir, writeFile } from 'node:fs/promises';
import { describeMachine, type Machine, machineLine } from './machine.ts';

export type Row = Readonly<Record<string, string | number>>;

/** One benchmark's outcome: a table on the terminal, and everything behind it as JSON under `bench/results/`. */
export class Report {
  private readonly name: string;
  private readonly machine: Machine = describeMachine();
  private readonly startedAt = new Date();
  private readonly rows: Row[] = [];
  private readonly notes: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  add(row: Row): void {
    this.rows.push(row);
  }

  /** A line below the table. */
  note(text: string): void {
    this.notes.push(text);
  }

  async finish(details: object): Promise<void> {
    console.table(this.rows);
    for (const note of this.notes) console.log(note);
    console.log(machineLine(this.machine));
    const { name, machine, startedAt, rows, notes } = this;
    const folder = new URL('./results/', import.meta.url);
    await mkdir(folder, { recursive: true });
    const stamp = startedAt.toISOString().replace(/[:.]/g, '-');
    const content = { name, startedAt, machine, rows, notes, details };
    await writeFile(new URL(`${name}-${stamp}.json`, folder), `${JSON.stringify(content, null, 2)}\n`);
  }
}
