/** Topic `presence`. */
export interface PresenceSlice {
  readonly presence: {
    /** Presence checks since the user's last turn. */
    readonly checks: number;
    /** No checks before, since the user asked for time. */
    readonly pausedUntilUs: number;
    /** Since when the agent waits for the user's words; null: not since their last turn. Sounds without words change nothing. */
    readonly waitingSinceUs: number | null;
  };
}

export const INITIAL_PRESENCE: PresenceSlice = { presence: { checks: 0, pausedUntilUs: 0, waitingSinceUs: null } };
