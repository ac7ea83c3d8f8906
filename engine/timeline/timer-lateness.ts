import type { InboxRecord } from '../core/event.ts';
import type { TimerName } from '../core/timer.ts';
import type { CallSpan } from './call-span.ts';

/** Delays below it are those of any timer. */
const LATE_MS = 100;

/** Timers that were handled late: the event loop was busy, or the call's inbox was long. */
export class TimerLateness {
  readonly #dueUs = new Map<TimerName, number>();

  add({ atUs, commands, event }: InboxRecord): readonly CallSpan[] {
    const spans = event.type === 'timer' ? this.#fired(event.timer, atUs) : [];
    for (const command of commands) {
      if (command.type === 'timer.start') this.#dueUs.set(command.timer, atUs + command.delayMs * 1000);
      if (command.type === 'timer.stop') this.#dueUs.delete(command.timer);
    }
    return spans;
  }

  #fired(timer: TimerName, atUs: number): readonly CallSpan[] {
    const dueUs = this.#dueUs.get(timer);
    this.#dueUs.delete(timer);
    return dueUs === undefined || atUs - dueUs < LATE_MS * 1000
      ? []
      : [{ type: 'late_timer', timer, fromUs: dueUs, toUs: atUs }];
  }
}
