import type { ProviderTurn } from './process-messages.ts';

type Stage = Exclude<keyof ProviderTurn, 'call' | 'turn'>;

/** The first time of each step of each turn at the providers. */
export class ProviderTurnTimes {
  readonly #turns = new Map<string, ProviderTurn>();

  /** Only the first time counts: a turn has several sentences and requests. */
  record(call: number, turn: number, stage: Stage, atMs: number): void {
    const key = `${call}/${turn}`;
    let entry = this.#turns.get(key);
    if (entry === undefined) {
      const never = Number.NaN;
      entry = {
        call,
        turn,
        speechReceivedMs: never,
        wordsMs: never,
        finalMs: never,
        modelRequestMs: never,
        sentenceMs: never,
        voiceRequestMs: never,
        audioMs: never,
      };
      this.#turns.set(key, entry);
    }
    if (Number.isNaN(entry[stage])) entry[stage] = atMs;
  }

  all(): readonly ProviderTurn[] {
    return [...this.#turns.values()];
  }
}
