import type { CallCommand } from '../core/command.ts';
import type { CallEvent, InboxRecord } from '../core/event.ts';
import type { TimerName } from '../core/timer.ts';
import type { CallSpan, SpanOf } from './call-span.ts';
import { type OpenSpan, OpenSpans } from './open-spans.ts';
import { RequestSpans } from './request-spans.ts';
import { SoundSpans } from './sound-spans.ts';
import { TimerLateness } from './timer-lateness.ts';

/** Spans of one call; later ones are dropped. A talkative hour has some thousand. */
const SPANS_MAX = 10_000;

/** The timers whose run is a wait. */
const WAIT_TIMERS: ReadonlyMap<TimerName, OpenSpan> = new Map<TimerName, OpenSpan>([
  ['dtmf_entry', { type: 'dtmf_entry' }],
  ['machine_silence', { type: 'machine_wait' }],
  ['menu_wait', { type: 'machine_wait' }],
  ['screening_wait', { type: 'machine_wait' }],
]);

/** Collects the spans of a call from its inbox, record by record. A span is returned when it ends. */
export class SpanCollector {
  /** A span that a timer bounds has its name as key: it ends at the latest when the timer fires or is stopped. */
  readonly #open = new OpenSpans();
  readonly #requests = new RequestSpans();
  readonly #sounds = new SoundSpans();
  readonly #timers = new TimerLateness();
  #spans = 0;

  add(record: InboxRecord): readonly CallSpan[] {
    const spans = [
      ...this.#timers.add(record),
      ...this.#sounds.add(record),
      ...this.#requests.add(record),
      ...this.#eventSpans(record),
      ...record.commands.flatMap((command) => this.#commandSpans(command, record.atUs)),
    ];
    return this.#kept(spans);
  }

  /** Counts a span of the network, which no record has. */
  sample(span: SpanOf<'network'>): readonly CallSpan[] {
    return this.#kept([span]);
  }

  #kept(spans: readonly CallSpan[]): readonly CallSpan[] {
    const kept = spans.slice(0, SPANS_MAX - this.#spans);
    this.#spans += kept.length;
    return kept;
  }

  #eventSpans({ event, atUs }: InboxRecord): readonly CallSpan[] {
    switch (event.type) {
      case 'control.answered':
        return [{ type: 'answered', fromUs: atUs, toUs: atUs }];
      case 'control.on_hold':
        return this.#begin('on_hold', { type: 'on_hold' }, atUs);
      case 'control.off_hold':
        return this.#open.end('on_hold', atUs);
      case 'media.suspended':
        return this.#begin('suspended', { type: 'media_suspended' }, atUs);
      case 'media.restored':
        return this.#open.end('suspended', atUs);
      case 'control.transfer_succeeded':
      case 'control.transfer_failed':
        return this.#open.end('transfer', atUs, { type: 'transfer', successful: hasSucceeded(event) });
      case 'timer':
        return this.#open.end(event.timer, atUs);
      case 'tool.result':
        return this.#toolEnd(event.toolCallId, event.result.successful, atUs);
      case 'knowledge.result':
        return this.#toolEnd(event.toolCallId, event.result.type === 'found', atUs);
      case 'control.ended':
        return this.#open.endAll(atUs);
      default:
        return [];
    }
  }

  #commandSpans(command: CallCommand, atUs: number): readonly CallSpan[] {
    switch (command.type) {
      case 'playout.pause':
        return this.#begin('pause', { type: 'playback_pause', isInterruption: true }, atUs);
      case 'playout.resume':
        return this.#open.end('pause', atUs, { type: 'playback_pause', isInterruption: false });
      case 'playout.clear':
        return this.#open.end('pause', atUs);
      case 'call.transfer':
        return this.#begin('transfer', { type: 'transfer', successful: false }, atUs);
      case 'tool.run':
        return this.#begin(`tool.${command.toolCallId}`, tool(command.run.tool.name), atUs);
      case 'knowledge.search':
        return this.#begin(`tool.${command.toolCallId}`, tool('knowledge search'), atUs);
      case 'timer.start':
        return this.#timerStarts(command.timer, atUs);
      case 'timer.stop':
        return this.#open.end(command.timer, atUs);
      default:
        return [];
    }
  }

  #timerStarts(timer: TimerName, atUs: number): readonly CallSpan[] {
    const wait = WAIT_TIMERS.get(timer);
    if (wait === undefined) return [];
    // Each digit begins the wait for the next one.
    if (timer === 'dtmf_entry') this.#open.end(timer, atUs);
    return this.#begin(timer, wait, atUs);
  }

  #toolEnd(toolCallId: string, successful: boolean, atUs: number): readonly CallSpan[] {
    const open = this.#open.get(`tool.${toolCallId}`);
    const name = open?.type === 'tool' ? open.name : '';
    return this.#open.end(`tool.${toolCallId}`, atUs, { type: 'tool', name, successful });
  }

  #begin(key: string, span: OpenSpan, atUs: number): readonly CallSpan[] {
    this.#open.begin(key, span, atUs);
    return [];
  }
}

function tool(name: string): OpenSpan {
  return { type: 'tool', name, successful: false };
}

function hasSucceeded({ type }: CallEvent): boolean {
  return type === 'control.transfer_succeeded';
}
