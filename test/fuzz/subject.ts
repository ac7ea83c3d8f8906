import fc from 'fast-check';

/** A parser of input from unknown sources, with the property that holds for each input. */
export interface Subject {
  readonly name: string;
  /** Tries `runs` inputs. Throws with the smallest failing input and the seed that reproduces it. */
  readonly run: (runs: number, seed: number) => Outcome;
}

export interface Outcome {
  /** CPU time of the slowest input. */
  readonly slowestMs: number;
}

/** A longer parse would delay every call of its thread. The slowest valid inputs take a few milliseconds. */
const INPUT_MS_MAX = 250;

/** @param holds throws if the property does not hold. */
export function subject<Input>(name: string, inputs: fc.Arbitrary<Input>, holds: (input: Input) => void): Subject {
  return {
    name,
    run: (runs, seed) => {
      let slowestMs = 0;
      const timed = (input: Input) => {
        // CPU time of this thread, which other processes do not increase.
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

export function must(condition: boolean, fault: string): void {
  if (!condition) throw new Error(fault);
}
