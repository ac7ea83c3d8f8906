/** Topic `fillers`: the clock of silence. */
export interface FillersSlice {
  readonly fillers: FillersState;
}

export interface FillersState {
  /** When the agent's last audio ended on the wire; 0 before it. */
  readonly agentSoundUs: number;
  /** That audio was a filler, or an answer while a tool of an earlier reply runs: the user knows that they wait. */
  readonly afterFiller: boolean;
  /** Since when a generation or a tool runs; null while none does. */
  readonly pendingSinceUs: number | null;
  /** The timer runs. */
  readonly isTimed: boolean;
}

export const INITIAL_FILLERS: FillersSlice = {
  fillers: { agentSoundUs: 0, afterFiller: false, pendingSinceUs: null, isTimed: false },
};
