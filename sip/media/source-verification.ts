/**
 * The reports of a session about a peer whose address is in doubt. `verified`: it sent enough packets to a session with
 * `sourceUnverified`, so it knows our port. `silenced`: nothing is sent any more, because `unansweredMsMax` has passed without
 * its packets. `resumed`: they came after all.
 */
export type SourceVerification = 'verified' | 'silenced' | 'resumed';
