import type { TranscriberEvent } from '../../engine/ports/transcriber.ts';
import type { SentAudio } from '../socket-transcriber/sent-audio.ts';
import type { FluxTurnInfo } from './flux-listen-message.ts';

type TurnEvent = Extract<TranscriberEvent, { readonly type: 'turn' }>;

/**
 * The current turn. `before`: it has no words yet. `under_way`: it has words. `ending`: it has probably ended. Times are
 * on the provider's clock.
 */
interface Turn {
  readonly index: number;
  phase: 'before' | 'under_way' | 'ending';
  text: string;
  language: string | undefined;
  startMs: number;
  endMs: number;
  /** The turn had no words up to this time. */
  wordlessMs: number;
}

/**
 * Turns the messages of a Flux stream into our events, after https://developers.deepgram.com/docs/flux/state. Each
 * turn ends once and has no events after its end. An update without changed words gives no event. The provider does
 * not rule out that a turn ends with other words than its eager end; it then gets a `resumed` before its `ended`.
 */
export class FluxListenTurns {
  readonly #sent: SentAudio;
  #turn = turnOf(0, 0);

  constructor(sent: SentAudio) {
    this.#sent = sent;
  }

  eventsOf(info: FluxTurnInfo): readonly TurnEvent[] {
    const { audio_window_start, turn_index } = info;
    if (turn_index < this.#turn.index) return [];
    if (turn_index === this.#turn.index) return this.#eventsOfTurn(info);
    // A new turn ends the previous one, also without an end message.
    const unended = this.#turn.text === '' ? [] : [this.#event('ended')];
    this.#turn = turnOf(turn_index, audio_window_start * 1000);
    return [...unended, ...this.#eventsOfTurn(info)];
  }

  #eventsOfTurn(info: FluxTurnInfo): readonly TurnEvent[] {
    const turn = this.#turn;
    const { phase, text } = turn;
    switch (info.event) {
      case 'StartOfTurn':
      case 'Update':
        return this.#eventsOfUpdate(info);
      case 'TurnResumed':
        if (phase !== 'ending') return this.#eventsOfUpdate(info);
        this.#storeWords(info);
        turn.phase = 'under_way';
        return [this.#event('resumed')];
      case 'EagerEndOfTurn': {
        const hasChanged = this.#storeWords(info);
        if (turn.text === '' || (phase === 'ending' && !hasChanged)) return [];
        turn.phase = 'ending';
        return phase === 'ending' ? [this.#event('resumed'), this.#event('eager_end')] : [this.#event('eager_end')];
      }
      case 'EndOfTurn': {
        this.#storeWords(info);
        const isEagerEndWrong = phase === 'ending' && turn.text !== text;
        const reported = isEagerEndWrong ? [this.#event('resumed'), this.#event('ended')] : [this.#event('ended')];
        this.#turn = turnOf(info.turn_index + 1, info.audio_window_end * 1000);
        return turn.text === '' ? [] : reported;
      }
      // An unknown event changes nothing: the next update still reports its words.
      default:
        return [];
    }
  }

  #eventsOfUpdate(info: FluxTurnInfo): readonly TurnEvent[] {
    const turn = this.#turn;
    const { phase } = turn;
    if (!this.#storeWords(info)) return [];
    turn.phase = 'under_way';
    return [this.#event(phase === 'before' ? 'started' : phase === 'ending' ? 'resumed' : 'updated')];
  }

  /** Stores the words; true if they have changed. */
  #storeWords({ audio_window_end, languages, transcript, words }: FluxTurnInfo): boolean {
    const turn = this.#turn;
    const text = transcript.trim();
    const windowEndMs = audio_window_end * 1000;
    if (turn.text === '' && text === '') turn.wordlessMs = windowEndMs;
    turn.language = languages?.[0] ?? turn.language;
    // The end of a turn does not remove its words.
    if (text === '' || text === turn.text) return false;
    const [first, last] = [words[0]?.start, words.at(-1)?.end];
    if (turn.text === '') turn.startMs = first === undefined ? turn.wordlessMs : first * 1000;
    turn.endMs = last === undefined ? windowEndMs : last * 1000;
    turn.text = text;
    return true;
  }

  #event(phase: TurnEvent['phase']): TurnEvent {
    const { endMs, language, startMs, text } = this.#turn;
    const span = { startMs: this.#sent.writtenMs(startMs), endMs: this.#sent.writtenMs(endMs) };
    return { type: 'turn', phase, text, ...(language === undefined ? {} : { language }), ...span };
  }
}

function turnOf(index: number, fromMs: number): Turn {
  return { index, phase: 'before', text: '', language: undefined, startMs: fromMs, endMs: fromMs, wordlessMs: fromMs };
}
