import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { between, type ThreadTimes, threadTimes } from './thread-meter.ts';

/** CPU of a benchmark process and delay of its event loop, over one window. */
export interface Load {
  /** CPU of all threads, and of the main thread, as shares of one core. */
  readonly processShare: number;
  readonly mainShare: number;
  /** CPU of the window by the name of the thread, ms. */
  readonly threadsMs: ThreadTimes;
  /** Share of the time in which the main thread was runnable, but no core was free. */
  readonly coreWaitShare: number;
  /** Share of the time in which the main thread's event loop was busy. */
  readonly eventLoopShare: number;
  /** Interval of a 1 ms timer on the main thread, ms: its 99th percentile and its maximum. */
  readonly loopP99Ms: number;
  readonly longestStallMs: number;
}

export class LoadMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: 1 });
  #cpu = process.cpuUsage();
  #main = process.threadCpuUsage();
  #threads = threadTimes();
  #loop = performance.eventLoopUtilization();
  #coreWaitMs = mainThreadWaitMs();
  #startMs = performance.now();

  /** Opens the window. */
  open(): void {
    this.#delays.enable();
    this.#delays.reset();
    this.#cpu = process.cpuUsage();
    this.#main = process.threadCpuUsage();
    this.#threads = threadTimes();
    this.#loop = performance.eventLoopUtilization();
    this.#coreWaitMs = mainThreadWaitMs();
    this.#startMs = performance.now();
  }

  /** Closes the window. */
  close(): Load {
    const elapsedUs = (performance.now() - this.#startMs) * 1000;
    const cpu = process.cpuUsage(this.#cpu);
    const main = process.threadCpuUsage(this.#main);
    const threadsMs = between(this.#threads, threadTimes());
    const loop = performance.eventLoopUtilization(this.#loop);
    this.#delays.disable();
    return {
      processShare: (cpu.user + cpu.system) / elapsedUs,
      mainShare: (main.user + main.system) / elapsedUs,
      threadsMs,
      coreWaitShare: ((mainThreadWaitMs() - this.#coreWaitMs) * 1000) / elapsedUs,
      eventLoopShare: loop.utilization,
      loopP99Ms: this.#delays.percentile(99) / 1e6,
      longestStallMs: this.#delays.max / 1e6,
    };
  }
}

/** Time on the kernel's run queue, in ms (proc(5), `/proc/[pid]/schedstat`); NaN if the kernel does not report it. */
function mainThreadWaitMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
