import { printable } from '../../base/text/printable.ts';

/** Fields with a fixed place on the line. */
const PLACED = ['time', 'level', 'msg', 'err'];
const LEVEL_WIDTH = 5;
/** Values that need no quotes. */
const PLAIN = /^[\w.:/@+*•-]+$/;

/**
 * A log record as one line for people: local time, level, event, fields; then the stack of an error. All of it is printable.
 */
export function prettyLine(record: unknown): string {
  if (typeof record !== 'object' || record === null) return `${JSON.stringify(record)}\n`;
  const { time, level, msg } = record as { time?: unknown; level?: unknown; msg?: unknown };
  const head = `${clockTime(time)} ${String(level).toUpperCase().padEnd(LEVEL_WIDTH)}`;
  return `${head} ${eventText(String(msg ?? ''), record)}\n`;
}

/** An event with its fields; then the stack of an error. All of it is printable. */
export function eventText(event: string, fields: object): string {
  const others = Object.entries(fields)
    .filter(([name]) => !PLACED.includes(name))
    .map(([name, value]) => ` ${printable(name)}=${fieldText(value)}`);
  return `${printable(event)}${others.join('')}${errorLines('err' in fields ? fields.err : undefined)}`;
}

function clockTime(time: unknown): string {
  const date = new Date(String(time));
  if (Number.isNaN(date.getTime())) return '--:--:--.---';
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : printable(JSON.stringify(value) ?? '');
}

function errorLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return err === undefined ? '' : ` err=${fieldText(err)}`;
  const { message, stack } = err as { message?: unknown; stack?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : JSON.stringify(err);
  return text
    .split('\n')
    .map((line) => `\n    ${printable(line.trim())}`)
    .join('');
}
