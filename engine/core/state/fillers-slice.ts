/** Topic `fillers`. The thinking filler is part of the reply. */
export interface FillersSlice {
  /** Tool fillers said since the last tool call began. */
  readonly toolFillersSaid: number;
}

export const INITIAL_FILLERS: FillersSlice = { toolFillersSaid: 0 };
