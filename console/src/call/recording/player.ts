/** Plays the recording of a call. Times are ms since the answer. */
export interface Player {
  playFrom(atMs: number): void;
  toggle(): void;
  /** Returns a function that removes the listener. */
  onTime(listener: (atMs: number) => void): () => void;
  onPlaying(listener: (isPlaying: boolean) => void): () => void;
}
