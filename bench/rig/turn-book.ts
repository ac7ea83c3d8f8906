import type { ProviderTurn } from './protocol.ts';

type Stage = Exclude<keyof ProviderTurn, 'call' | 'turn'>;

/** When each stage of each turn was first seen by the providers. */
export class TurnBook {
  readonly #turns = new Map<string, ProviderTurn>();

  /** The first time counts: a turn has several sentences and requests. */
  note(call: number, turn: number, stage: Stage, atMs: number): void {
    const key = `${call}/${turn}`;
    let entry = this.#turns.get(key);
    if (entry === undefined) {
      const never = Number.NaN;
      entry = {
        call,
        turn,
        heardMs: never,
        wordsMs: never,
        finalMs: never,
        modelMs: never,
        sentenceMs: never,
        voiceMs: never,
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
