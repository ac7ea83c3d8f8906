import fc from 'fast-check';

/** Something that takes what strangers send, and what has to hold for each input. */
export interface Subject {
  readonly name: string;
  /** Tries so many inputs. Throws with the smallest one that broke something, and the seed that finds it again. */
  readonly run: (runs: number, seed: number) => Outcome;
}

export interface Outcome {
  /** CPU of the worst input. */
  readonly slowestMs: number;
}

/** An input that takes this long would stop every call of its thread; the slowest honest ones take some milliseconds. */
const INPUT_MS_MAX = 250;

/** @param holds throws where something does not hold. */
export function subject<Input>(name: string, inputs: fc.Arbitrary<Input>, holds: (input: Input) => void): Subject {
  return {
    name,
    run: (runs, seed) => {
      let slowestMs = 0;
      const timed = (input: Input) => {
        // CPU of this thread, not the time on the wall: a busy machine makes nobody guilty.
        const before = process.threadCpuUsage();
        holds(input);
        const { user, system } = process.threadCpuUsage(before);
        const ms = (user + system) / 1_000;
        slowestMs = Math.max(slowestMs, ms);
        if (ms > INPUT_MS_MAX) throw new Error(`took ${ms} ms`);
      };
      fc.assert(fc.property(inputs, timed), { numRuns: runs, seed });
      return { slowestMs };
    },
  };
}

export function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}
