import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** What a process of the bench took, and how long its event loop kept anything waiting, over one window. */
export interface Load {
  /** CPU of all its threads, and of its main thread, as shares of one core. */
  readonly processShare: number;
  readonly mainShare: number;
  /** Share of the time in which the main thread could have run and no core was free: what neighbours took from it. */
  readonly coreWaitShare: number;
  /** Share of the time in which the main thread's event loop did not wait. */
  readonly eventLoopShare: number;
  /** Between two turns of a 1 ms timer on the main thread: what a stall is at most, in ms. */
  readonly loopP99Ms: number;
  readonly longestStallMs: number;
}

export class LoadMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: 1 });
  #cpu = process.cpuUsage();
  #main = process.threadCpuUsage();
  #loop = performance.eventLoopUtilization();
  #coreWaitMs = mainThreadWaitMs();
  #startMs = performance.now();

  /** Opens the window. */
  open(): void {
    this.#delays.enable();
    this.#delays.reset();
    this.#cpu = process.cpuUsage();
    this.#main = process.threadCpuUsage();
    this.#loop = performance.eventLoopUtilization();
    this.#coreWaitMs = mainThreadWaitMs();
    this.#startMs = performance.now();
  }

  /** Closes it. */
  close(): Load {
    const elapsedUs = (performance.now() - this.#startMs) * 1000;
    const cpu = process.cpuUsage(this.#cpu);
    const main = process.threadCpuUsage(this.#main);
    const loop = performance.eventLoopUtilization(this.#loop);
    this.#delays.disable();
    return {
      processShare: (cpu.user + cpu.system) / elapsedUs,
      mainShare: (main.user + main.system) / elapsedUs,
      coreWaitShare: ((mainThreadWaitMs() - this.#coreWaitMs) * 1000) / elapsedUs,
      eventLoopShare: loop.utilization,
      loopP99Ms: this.#delays.percentile(99) / 1e6,
      longestStallMs: this.#delays.max / 1e6,
    };
  }
}

/** Time on the kernel's run queue, in ms (proc(5), `/proc/[pid]/schedstat`); NaN where the kernel does not tell. */
function mainThreadWaitMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
