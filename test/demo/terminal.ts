/** The demo's output: one line for each event, with the time since the answer. */

const COLOURS = { caller: '36', agent: '32', state: '35', tool: '33', value: '34', note: '2', bad: '31' } as const;
export type Voice = keyof typeof COLOURS;

export interface Terminal {
  /** Sets time 0 of the following lines. */
  start(atMs: number): void;
  line(voice: Voice, label: string, text: string, atMs?: number): void;
  plain(text: string): void;
}

export function createTerminal(out: NodeJS.WriteStream = process.stdout): Terminal {
  const colour = out.isTTY === true && process.env.NO_COLOR === undefined;
  let startedMs: number | null = null;
  return {
    start(atMs) {
      startedMs = atMs;
    },
    line(voice, label, text, atMs) {
      const seconds = atMs === undefined || startedMs === null ? '' : `${((atMs - startedMs) / 1000).toFixed(1)} s`;
      const head = `${seconds.padStart(7)}  ${label.padEnd(12)}`;
      out.write(colour ? `\u001b[2m${head}\u001b[0m\u001b[${COLOURS[voice]}m${text}\u001b[0m\n` : `${head}${text}\n`);
    },
    plain(text) {
      out.write(`${text}\n`);
    },
  };
}
