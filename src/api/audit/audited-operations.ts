/** Changes of what an organization has set up, and of calls in progress. The response waits until its record is stored. */
const CHANGES = [
  'createAgent',
  'updateAgent',
  'deployVersion',
  'deleteAgent',
  'renewWebhookSecret',
  'createPhoneNumber',
  'updatePhoneNumber',
  'deletePhoneNumber',
  'createSipTrunk',
  'updateSipTrunk',
  'deleteSipTrunk',
  'createApiKey',
  'revokeApiKey',
  'createKnowledgeBase',
  'deleteKnowledgeBase',
  'addSources',
  'removeSources',
  'createQuestions',
  'updateQuestion',
  'deleteQuestion',
  'redeliver',
  'pauseRecording',
  'resumeRecording',
  'transferCall',
  'terminateCall',
  'captureCall',
  'deleteCall',
] as const;

/**
 * Access to what was said in calls, and to this log. `listCalls` only with transcripts, variables or answers. `updateMetadata`
 * returns the call.
 */
const ACCESSES = [
  'getRecording',
  'getCall',
  'listCalls',
  'updateMetadata',
  'watchCall',
  'getTimeline',
  'getTape',
  'getSipLadder',
  'getPcap',
  'listDeliveries',
  'getDelivery',
  'listAuditLog',
] as const;

/** Accesses that an open page repeats by itself: the same one is recorded once in ten minutes. */
const REPEATED: ReadonlySet<string> = new Set<(typeof ACCESSES)[number]>([
  'getCall',
  'getTimeline',
  'getSipLadder',
  'listDeliveries',
]);

export const AUDITED_OPERATIONS = [...CHANGES, ...ACCESSES] as const;

const KINDS: ReadonlyMap<string, 'change' | 'access'> = new Map([
  ...CHANGES.map((operation) => [operation, 'change'] as const),
  ...ACCESSES.map((operation) => [operation, 'access'] as const),
]);

export function isRepeatedAccess(operation: string): boolean {
  return REPEATED.has(operation);
}

/** Null: the operation is not recorded. */
export function auditKind(operation: string): 'change' | 'access' | null {
  return KINDS.get(operation) ?? null;
}
