import { z } from 'zod';
import { deleteCallContent } from '../../background/retention/call-deletion.ts';
import { isSearch } from '../../storage/call-search/call-filter.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import { type CallParts, callFromRecord } from '../calls/call-from-record.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { recordingUnavailable } from '../recordings/recording-availability.ts';
import { recordingLink } from '../recordings/recording-link.ts';
import { isPermitted, organizationOf } from '../requests/authentication.ts';
import { callSchema } from '../schemas/call.ts';
import { callFilter, callListQuery, metadataBody } from '../schemas/call-list-query.ts';
import { LIST_MESSAGE, listFields, listResponse, pageOf } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';

/** Size of the metadata of a call as JSON, bytes. */
const METADATA_BYTES_MAX = 65_536;
/** Attempts of a change that concurrent changes overtake. Each failed attempt means that another change succeeded. */
const METADATA_TRIES_MAX = 50;
/** Calls per database read. Small messages keep the event loop free for the media of live calls. */
const CALLS_PER_READ = 50;

const NO_PAGES = 'expected true: one of the given filters has no page mode';
const FOUND = 'Call found';
const UPDATED = 'Metadata updated';
const DELETED = 'Call content deleted';
const NOT_ENDED = 'The call has not ended yet';
const CHANGED = 'The metadata was changed by concurrent requests: retry';
const NOT_FOUND = failures({ 404: 'Call not found' });

/** Stored calls: list, read, annotate, delete. */
export function callRecordRoutes(api: Api, context: RouteContext): void {
  listCalls(api, context);
  getCall(api, context);
  updateMetadata(api, context);
  deleteCall(api, context);
}

function listCalls(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls',
    onRequest: authenticate('read', 'besideReads'),
    schema: {
      operationId: 'listCalls',
      summary: 'List calls',
      description:
        'Returns the calls of your organization, newest first. Transcripts and variable values are empty unless requested with ' +
        '`include_transcript` and `include_variable_values`. With several filters, a range of answer times, or a filter that needs ' +
        '`use_cursor=true`, a page may have fewer calls than `limit`, or none, before the last one: continue until `next_cursor` is null. ' +
        'One page reads at most 5,000 calls beside those that it returns; a `transcript` of common words is searched for in 50,000 calls at a ' +
        'time. With `use_cursor=false` and several filters, the pages cover the newest 10,000 calls of the filter that the fewest calls have.',
      tags: ['Calls'],
      querystring: callListQuery,
      response: { 200: envelopeOf(z.array(callSchema), LIST_MESSAGE).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const { query } = request;
      const page = pageOf(query);
      const filter = callFilter(query);
      if (page.mode === 'page' && isSearch(filter)) throw invalidField('use_cursor', NO_PAGES);
      const found = await repositories.callLists.list(organizationOf(request), filter, page);
      const parts = await partsOf(context, found.items, query.include_transcript, query.include_variable_values);
      request.listsAnswers = parts.some(({ postCallAnswers }) => postCallAnswers.length > 0);
      return listResponse({ ...found, items: parts }, page, callFromRecord);
    },
  });
}

async function partsOf(
  context: RouteContext,
  calls: readonly CallRecord[],
  withTranscript: boolean,
  withVariables: boolean,
): Promise<readonly CallParts[]> {
  const { journal, postCall } = context.repositories;
  const parts: CallParts[] = [];
  for (let from = 0; from < calls.length; from += CALLS_PER_READ) {
    const some = calls.slice(from, from + CALLS_PER_READ);
    const ids = some.map(({ id }) => id);
    const [transcripts, variables, answers] = await Promise.all([
      withTranscript ? journal.transcripts(ids) : null,
      withVariables ? journal.variablesOf(ids) : null,
      postCall.answersOf(ids),
    ]);
    for (const call of some) {
      const transcript = transcripts?.get(call.id) ?? [];
      const recordingUrl = recordingUrlOf(context, call);
      parts.push({
        call,
        transcript,
        variables: variables?.get(call.id) ?? [],
        postCallAnswers: answers.get(call.id) ?? [],
        turns: null,
        recordingUrl,
      });
    }
  }
  return parts;
}

function recordingUrlOf({ clock, publicUrl, recordingLinkMs, secrets }: RouteContext, call: CallRecord): string | null {
  if (recordingUnavailable(call) !== null) return null;
  return recordingLink(call, publicUrl(), secrets, clock.wallMs() + recordingLinkMs);
}

function getCall(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id',
    onRequest: authenticate('read', 'besideReads'),
    schema: {
      operationId: 'getCall',
      summary: 'Get a call',
      description: 'Returns the call with its transcript and variable values, also during the call.',
      tags: ['Calls'],
      params: idParams('the call'),
      response: { 200: envelopeOf(callSchema, FOUND), ...FAILURES, ...NOT_FOUND },
    },
    handler: async (request) => {
      const { id } = request.params;
      // Together: one message to the database.
      const [call, content] = await Promise.all([
        repositories.calls.findInOrganization(organizationOf(request), id),
        contentOf(context, id),
      ]);
      if (call === null) throw notFound('Call');
      return success(200, FOUND, answerOf(context, call, content));
    },
  });
}

type CallContent = Pick<CallParts, 'transcript' | 'variables' | 'turns' | 'postCallAnswers'>;

const NO_CONTENT: CallContent = { transcript: [], variables: [], turns: null, postCallAnswers: [] };

async function contentOf({ repositories }: RouteContext, callId: string): Promise<CallContent> {
  const { journal, postCall } = repositories;
  const [transcript, variables, turns, postCallAnswers] = await Promise.all([
    journal.transcript(callId),
    journal.variables(callId),
    journal.turns(callId),
    postCall.answersTo(callId),
  ]);
  return { transcript, variables, turns, postCallAnswers };
}

/** Without content, the call has no recording link either. */
function answerOf(context: RouteContext, call: CallRecord, content: CallContent | null): z.output<typeof callSchema> {
  if (content === null) return callFromRecord({ call, ...NO_CONTENT, recordingUrl: null });
  return callFromRecord({ call, ...content, recordingUrl: recordingUrlOf(context, call) });
}

function updateMetadata(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/calls/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'updateMetadata',
      summary: 'Update the metadata of a call',
      description:
        'Merges `metadata` into the metadata of the call, or replaces it with `override`. More than 64 KiB of JSON return 422. ' +
        'For a key without the scope `read`, the call in the response has no transcript, variable values, post-call answers and `recording_url`.',
      tags: ['Calls'],
      params: idParams('the call'),
      body: metadataBody,
      response: { 200: envelopeOf(callSchema, UPDATED), ...FAILURES, ...NOT_FOUND, ...failures({ 409: CHANGED }) },
    },
    handler: async (request) => {
      const { metadata, override } = request.body;
      for (let tries = 0; tries < METADATA_TRIES_MAX; tries++) {
        const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
        if (call === null) throw notFound('Call');
        const next = override ? metadata : { ...call.metadata, ...withoutNulls(metadata) };
        if (Buffer.byteLength(JSON.stringify(next)) > METADATA_BYTES_MAX) {
          throw invalidField('metadata', `expected at most ${METADATA_BYTES_MAX} bytes of JSON in total`);
        }
        if (await repositories.calls.replaceMetadata(call, next)) {
          const content = isPermitted(request, 'read') ? await contentOf(context, call.id) : null;
          return success(200, UPDATED, answerOf(context, { ...call, metadata: next }, content));
        }
      }
      throw new ApiError('conflict', { message: CHANGED });
    },
  });
}

function withoutNulls(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function deleteCall(api: Api, context: RouteContext): void {
  const { authenticate, clock, dataDir, files, repositories, traceElsewhere, traces } = context;
  const options = { deletion: repositories.callDeletion, files, dataDir };
  api.route({
    method: 'DELETE',
    url: '/v1/calls/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteCall',
      summary: 'Delete the content of a call',
      description:
        'Deletes the recording, transcript, variable values, timeline, post-call answers, tape, captured packets and webhook bodies of the ' +
        'call. The call record with its metadata is kept. Returns 409 until the call has ended.',
      tags: ['Calls'],
      params: idParams('the call'),
      response: { 200: envelopeOf(z.null(), DELETED), ...FAILURES, ...NOT_FOUND, ...failures({ 409: NOT_ENDED }) },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      const over = isFinal(call.status) && (await deleteCallContent(call.id, options, clock.wallMs()));
      if (!over) throw new ApiError('conflict', { message: NOT_ENDED });
      traces.forget(call.id);
      // A node that does not answer keeps the packets in memory, where no request reaches them: nothing waits for its answer.
      traceElsewhere(call, 'forget').catch(() => undefined);
      return success(200, DELETED, null);
    },
  });
}
