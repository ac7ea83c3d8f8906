import { z } from 'zod';
import { deleteCallContent } from '../../calls/call-deletion.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { isFinal } from '../../storage/schema/call-status.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import type { Api, RouteContext } from '../api.ts';
import { ApiError, invalidField, notFound } from '../api-error.ts';
import { organizationOf } from '../authentication.ts';
import { type CallParts, callAnswer, hasRecording } from '../call-answer.ts';
import { envelopeOf, FAILURES, failureSchema, success } from '../envelope.ts';
import { recordingLink } from '../recording-link.ts';
import { callSchema } from '../schemas/call.ts';
import { callFilter, callListQuery, metadataBody } from '../schemas/call-list.ts';
import { listAnswer, listFields, pageOf } from '../schemas/pagination.ts';
import { idParams } from '../schemas/primitives.ts';

/** Of a call's metadata as JSON, bytes. */
const METADATA_BYTES_MAX = 65_536;
/** How often a change is tried anew where another came between; each try means that somebody else got through. */
const METADATA_TRIES_MAX = 50;
/** Calls whose transcripts are read together: one message of the database stays small beside the media of live calls. */
const CALLS_PER_READ = 50;

/** What is kept of calls: listing, reading, annotating and deleting it. */
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
    onRequest: authenticate('read'),
    schema: {
      operationId: 'listCalls',
      summary: 'List calls',
      description:
        'Newest first, by cursor; with use_cursor=false in pages. Transcripts and variable values are empty unless they are asked for.',
      tags: ['Calls'],
      querystring: callListQuery,
      response: { 200: envelopeOf(z.array(callSchema)).extend(listFields), ...FAILURES },
    },
    handler: async (request) => {
      const { query } = request;
      const page = pageOf(query);
      const found = await repositories.callLists.list(organizationOf(request), callFilter(query), page);
      const parts = await partsOf(context, found.items, query.include_transcript, query.include_variable_values);
      return listAnswer({ ...found, items: parts }, page, callAnswer);
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

function recordingUrlOf({ clock, publicUrl, secrets }: RouteContext, call: CallRecord): string | null {
  return hasRecording(call) ? recordingLink(call, publicUrl(), secrets, clock.wallMs()) : null;
}

function getCall(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'GET',
    url: '/v1/calls/:id',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getCall',
      summary: 'Get a call',
      description: 'With transcript and variable values, also while it runs.',
      tags: ['Calls'],
      params: idParams,
      response: { 200: envelopeOf(callSchema), ...FAILURES },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      return success(200, 'Call found', await wholeAnswer(context, call));
    },
  });
}

async function wholeAnswer(context: RouteContext, call: CallRecord): Promise<z.output<typeof callSchema>> {
  const { journal, postCall } = context.repositories;
  const [transcript, variables, turns, answers] = await Promise.all([
    journal.transcript(call.id),
    journal.variables(call.id),
    journal.turns(call.id),
    postCall.answersOf([call.id]),
  ]);
  const postCallAnswers = answers.get(call.id) ?? [];
  return callAnswer({
    call,
    transcript,
    variables,
    postCallAnswers,
    turns,
    recordingUrl: recordingUrlOf(context, call),
  });
}

function updateMetadata(api: Api, context: RouteContext): void {
  const { authenticate, repositories } = context;
  api.route({
    method: 'PATCH',
    url: '/v1/calls/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'updateMetadata',
      summary: "Change a call's metadata",
      description: 'Merged by name; with override, replaced. At most 64 KiB in all.',
      tags: ['Calls'],
      params: idParams,
      body: metadataBody,
      response: { 200: envelopeOf(callSchema), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const { metadata, override } = request.body;
      for (let tries = 0; tries < METADATA_TRIES_MAX; tries++) {
        const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
        if (call === null) throw notFound('Call');
        const next = override ? metadata : { ...call.metadata, ...withoutNulls(metadata) };
        if (Buffer.byteLength(JSON.stringify(next)) > METADATA_BYTES_MAX) {
          throw invalidField('metadata', `expected at most ${METADATA_BYTES_MAX} bytes of JSON in all`);
        }
        if (await repositories.calls.replaceMetadata(call, next)) {
          return success(200, 'Metadata changed', await wholeAnswer(context, { ...call, metadata: next }));
        }
      }
      throw new ApiError('conflict', { message: 'The metadata is being changed by others at the same time' });
    },
  });
}

function withoutNulls(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function deleteCall(api: Api, { authenticate, clock, dataDir, repositories, traces }: RouteContext): void {
  api.route({
    method: 'DELETE',
    url: '/v1/calls/:id',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'deleteCall',
      summary: 'Delete what was said on a call',
      description:
        'Removes recording, transcript, variable values, post-call answers, tape, captured audio and webhook bodies; the bare record with its metadata stays. ' +
        '409 while the call is not over.',
      tags: ['Calls'],
      params: idParams,
      response: { 200: envelopeOf(z.null()), ...FAILURES, 409: failureSchema },
    },
    handler: async (request) => {
      const call = await repositories.calls.findInOrganization(organizationOf(request), request.params.id);
      if (call === null) throw notFound('Call');
      const over =
        isFinal(call.status) && (await deleteCallContent(call, repositories.callDeletion, dataDir, clock.wallMs()));
      if (!over) throw new ApiError('conflict', { message: 'The call is not over' });
      traces.forget(call.id);
      return success(200, 'What was said on the call is deleted', null);
    },
  });
}
