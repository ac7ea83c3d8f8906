import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES, type Rule } from './rules.ts';
import { roomOf } from './source-file.ts';

/** Number of allowed violations by rule and top folder. The counts can only decrease. */
type Allowances = Record<string, Record<string, number>>;

const FILE = join(import.meta.dirname, 'allowances.json');

function readAllowances(): Allowances {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

interface RoomCount {
  readonly room: string;
  readonly found: readonly string[];
  readonly allowed: number;
}

function countByRoom({ promise, violations }: Rule, allowances: Allowances): RoomCount[] {
  const found = new Map<string, string[]>();
  for (const { path, text } of violations()) found.set(roomOf(path), [...(found.get(roomOf(path)) ?? []), text]);
  const allowed = allowances[promise] ?? {};
  const rooms = new Set([...found.keys(), ...Object.keys(allowed)]);
  return [...rooms].sort().map((room) => ({ room, found: found.get(room) ?? [], allowed: allowed[room] ?? 0 }));
}

/** Faults of one rule: top folders with more violations than allowed, and allowances above the current count. */
export function complaintsOf(rule: Rule): string[] {
  return countByRoom(rule, readAllowances()).flatMap(({ room, found, allowed }) => {
    if (found.length > allowed) return [`${room}: ${found.length}, allowed ${allowed}`, ...found];
    if (found.length === allowed) return [];
    return [`${room}: ${found.length}, allowed ${allowed}: run node test/structure/shrink-allowances.ts`];
  });
}

/** Lowers each count to the current violations, and returns the top folders that exceed their allowance. */
export function shrinkAllowances(): string[] {
  const allowances = readAllowances();
  const grown: string[] = [];
  const next: Allowances = {};
  for (const rule of RULES) {
    for (const { room, found, allowed } of countByRoom(rule, allowances)) {
      if (found.length > allowed) grown.push(`${rule.promise}: ${room} has ${found.length}, allowed ${allowed}`);
      const left = Math.min(found.length, allowed);
      if (left > 0) next[rule.promise] = { ...next[rule.promise], [room]: left };
    }
  }
  writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`);
  return grown;
}
