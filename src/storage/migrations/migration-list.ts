import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';
import { baseline } from './0001-baseline/baseline.ts';
import { callSpans } from './0002-call-spans.ts';
import { callFilters } from './0003-call-filters.ts';
import { callTraceparent } from './0004-call-traceparent.ts';
import { callRollups } from './0005-call-rollups.ts';
import { callTexts } from './0006-call-texts.ts';
import { masterKeys } from './0007-master-keys.ts';
import { auditLog } from './0008-audit-log.ts';
import { callAdoption } from './0009-call-adoption.ts';
import { nodeAnswers } from './0010-node-answers.ts';
import { recordingConsent } from './0011-recording-consent.ts';
import { sharedState } from './0012-shared-state.ts';
import { providerCosts } from './0013-provider-costs.ts';
import { largeLists } from './0014-large-lists.ts';
import { dueEventsByAgent } from './0015-due-events-by-agent.ts';
import { slowestResponse } from './0016-slowest-response.ts';
import { nodeStarts } from './0017-node-starts.ts';

/**
 * All migrations, in the order of their names. The next one gets the next number, a file beside this one
 * (`NNNN-….ts`), and an entry here. Databases store the names: once released, neither name nor content changes.
 */
export function migrationsOf(kind: DatabaseKind): Record<string, Migration> {
  return {
    '0001-baseline': baseline(kind),
    '0002-call-spans': callSpans,
    '0003-call-filters': callFilters,
    '0004-call-traceparent': callTraceparent,
    '0005-call-rollups': callRollups(kind),
    '0006-call-texts': callTexts(kind),
    '0007-master-keys': masterKeys,
    '0008-audit-log': auditLog,
    '0009-call-adoption': callAdoption,
    '0010-node-answers': nodeAnswers(kind),
    '0011-recording-consent': recordingConsent,
    '0012-shared-state': sharedState(kind),
    '0013-provider-costs': providerCosts,
    '0014-large-lists': largeLists(kind),
    '0015-due-events-by-agent': dueEventsByAgent,
    '0016-slowest-response': slowestResponse,
    '0017-node-starts': nodeStarts,
  };
}
