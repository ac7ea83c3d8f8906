import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { AgentOverrides } from '../../../engine/agent/agent-overrides.ts';
import { callMade, type IdempotentRequest } from '../access/idempotency-repository.ts';
import type { Step } from '../database/database.ts';
import { lastListedUs } from '../database/listing.ts';
import { prepared } from '../database/prepared-statement.ts';
import { storableJson } from '../link/storable-text.ts';
import { OPEN_STATUSES, type OpenStatus } from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import { NO_AGENT } from '../schema/tables.ts';

/** Length of the token in a permanent recording URL: 192 bits cannot be guessed. */
const RECORDING_TOKEN_BYTES = 24;

export interface NewCall {
  readonly id: string;
  readonly organizationId: string;
  /** See `CallRecord`. */
  readonly agentId: string | null;
  readonly agentVersion: number;
  readonly redirectTarget?: string;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: OpenStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly dynamicVariables: JsonObject;
  /** See `CallRecord`. Absent: null. */
  readonly agentOverrides?: AgentOverrides | null;
  /** See `CallRecord`. Absent: null. */
  readonly traceparent?: string | null;
  /** Web calls only. */
  readonly webTokenHash?: string;
  /** The idempotent request that creates the call; null without an `Idempotency-Key`. */
  readonly idempotent: IdempotentRequest | null;
  readonly nowMs: number;
}

/**
 * A condition: touches the organization's row only if there is room. The step before it locked that row, so no other
 * transaction can add a call between count and insert.
 */
export function hasRoom(organizationId: string, inFlightMax: number): Step {
  return { statement: TOUCH_IF_ROOM.with({ organizationId, inFlightMax }), mustChange: true };
}

const TOUCH_IF_ROOM = prepared<{ organizationId: string; inFlightMax: number }>()((query, slot) => {
  // As literals: PostgreSQL and SQLite use the partial index `calls_placed` only if they see its condition.
  const placed = query
    .selectFrom('calls')
    .select((eb) => eb.fn.countAll<number>().as('placed'))
    .where('organization_id', '=', slot('organizationId'))
    .where('direction', '=', sql.lit('outbound'))
    .where(
      'status',
      'in',
      OPEN_STATUSES.map((status) => sql.lit(status)),
    );
  return query
    .updateTable('organizations')
    .set((eb) => ({ last_listed_us: eb.ref('last_listed_us') }))
    .where('id', '=', slot('organizationId'))
    .where(placed, '<', slot('inFlightMax'));
});

interface InsertedCall {
  readonly id: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly type: string;
  readonly direction: string;
  readonly status: string;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly variablesJson: string;
  readonly overridesJson: string | null;
  readonly nowMs: number;
  readonly redirectTarget: string | null;
  readonly nodeId: string | null;
  readonly recordingToken: string;
  readonly traceparent: string | null;
  readonly webTokenHash: string | null;
}

const INSERT = prepared<InsertedCall>()((query, slot) => {
  const secureRecording = query.selectFrom('agents').select('secure_recording_urls').where('id', '=', slot('agentId'));
  return query.insertInto('calls').values((eb) => ({
    id: slot('id'),
    organization_id: slot('organizationId'),
    agent_id: slot('agentId'),
    agent_version: slot('agentVersion'),
    type: slot('type'),
    direction: slot('direction'),
    status: slot('status'),
    from_number: slot('fromNumber'),
    to_number: slot('toNumber'),
    metadata_json: '{}',
    dynamic_variables_json: slot('variablesJson'),
    agent_overrides_json: slot('overridesJson'),
    listed_us: lastListedUs(query, slot('organizationId')),
    created_ms: slot('nowMs'),
    redirect_duration_seconds: 0,
    redirect_target: slot('redirectTarget'),
    cost: 0,
    secure_recording: eb.fn.coalesce(secureRecording, eb.lit(0)),
    node_id: slot('nodeId'),
    recording_token: slot('recordingToken'),
    traceparent: slot('traceparent'),
    web_token_hash: slot('webTokenHash'),
  }));
});

/** The steps that store a call, after the step that raises the counter of its organization's lists. */
export function insertCall(call: NewCall, nodeId: string | null): Step[] {
  const { direction, fromNumber, id, idempotent, nowMs, organizationId, status, toNumber, type } = call;
  const statement = INSERT.with({
    id,
    organizationId,
    agentId: call.agentId ?? NO_AGENT,
    agentVersion: call.agentVersion,
    type,
    direction,
    status,
    fromNumber,
    toNumber,
    variablesJson: storableJson(call.dynamicVariables),
    overridesJson: call.agentOverrides ? storableJson(call.agentOverrides) : null,
    nowMs,
    redirectTarget: call.redirectTarget ?? null,
    nodeId,
    recordingToken: randomBytes(RECORDING_TOKEN_BYTES).toString('base64url'),
    traceparent: call.traceparent ?? null,
    webTokenHash: call.webTokenHash ?? null,
  });
  return [{ statement }, ...(idempotent === null ? [] : [callMade(idempotent, id)])];
}
