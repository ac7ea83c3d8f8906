/** Topic `presence`. */
export interface PresenceSlice {
  readonly presence: {
    /** Presence checks since the user's last turn. */
    readonly checks: number;
    /** No checks before, since the user asked for time. */
    readonly pausedUntilUs: number;
  };
}

export const INITIAL_PRESENCE: PresenceSlice = { presence: { checks: 0, pausedUntilUs: 0 } };
