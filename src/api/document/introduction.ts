/** The description of the whole API: what a reader needs before the first request. Markdown. */
export const INTRODUCTION = `Trunkline runs voice agents that place and answer phone calls on your own SIP trunks.

**First call**

1. Create an agent: \`POST /v1/agents\`.
2. Add a SIP trunk (\`POST /v1/sip-trunks\`) and a phone number on it (\`POST /v1/phone-numbers\`).
3. Start a call: \`POST /v1/calls/phone\`. For an inbound call, set \`inbound_agent_id\` on the number, or stage the call with
   \`POST /v1/calls/stage\`.
4. Read the call with its transcript: \`GET /v1/calls/{id}\`.

**Authentication.** Every request under \`/v1\` needs the header \`X-Api-Key\`. Create keys with \`trunkline keys create\` or \`POST /v1/api-keys\`. A key has the scopes
\`read\` (GET), \`write\` (all other methods) or \`admin\` (everything). A missing or malformed key returns 401 with the type
\`gateway_auth_error\`, an unknown or revoked key 401 with \`auth_error\`, a missing scope 403. Recording URLs carry their own token or signature. A resource of another organization
returns 404.

**Format.** Bodies are JSON, at most 1 MiB, 64 levels deep and 50,000 values. Only knowledge base sources are uploaded as
\`multipart/form-data\`. Identifiers are UUIDs, times ISO 8601, phone numbers E.164 (\`+493012345678\`). Unknown fields in a request
return 422.

**Responses.** Every JSON response is an envelope: \`message\` (for people), \`data\` (the result), \`error\` (null on success) and
\`status\` (the HTTP status). A failure has \`error.type\` and \`error.message\`. A 422 also lists every invalid field in
\`error.details\`. Messages can change between releases: programs use \`error.type\` and \`status\`.
A method that a path does not have returns 405 with \`Allow\`.

**Lists.** A list returns at most \`limit\` items (default 50, maximum 1,000), newest first. With \`use_cursor=true\`, pass
\`next_cursor\` of the response as \`cursor\` of the next request until it is null. With \`use_cursor=false\`, count \`page\` up to
\`total_pages\`. Calls default to the cursor, all other lists to pages.

**Retries.** Send an \`Idempotency-Key\` with each POST that creates a resource: a retry with the same key creates nothing twice.

**Rate limits.** Each API key has a limit per minute and per hour (600 and 10,000 by default), for all nodes together. Responses report them in the
\`ratelimit-*\` and \`x-ratelimit-*\` headers. A request over a limit returns 429 with \`retry-after\`.

**Terms.** The *user* is the person or machine that the agent talks to, on inbound and outbound calls. A *turn* is what one of
them says without the other in between.
`;

/** Sections of the reference, in reading order. */
export const TAGS = [
  { name: 'Agents', description: 'Configure agents: prompts, states, tools, voice, language model and transcriber.' },
  { name: 'Calls', description: 'Start, stage, read, annotate and delete calls.' },
  { name: 'Live calls', description: 'Watch and control a call in progress.' },
  { name: 'Call diagnostics', description: 'Inspect the SIP messages and packets of a call.' },
  { name: 'Phone numbers', description: 'Manage your numbers and how inbound calls to them are answered.' },
  { name: 'SIP trunks', description: 'Connect carriers, SBCs and PBXs.' },
  { name: 'Knowledge bases', description: 'Manage the documents that agents can search during a call.' },
  {
    name: 'Post-call questions',
    description: 'Define questions that a model answers from the transcript after each call.',
  },
  { name: 'API keys', description: 'Read what the API key of a request may do; create, list and revoke keys.' },
  {
    name: 'Service',
    description:
      'Settings and checks of the service, for its operator: keys of the default organization with the scope `admin`.',
  },
  { name: 'Audit log', description: 'See who changed what, and who read recordings and transcripts.' },
  { name: 'Analytics', description: 'Count calls, and see response times, cost and usage.' },
  { name: 'Webhook deliveries', description: 'Inspect delivered webhook events and send them again.' },
  {
    name: 'Webhooks',
    description:
      'Requests that the service sends to the `webhook_url` of an agent for the kinds in its `webhook_subscriptions`. ' +
      'Requests are signed as Standard Webhooks defines (headers `webhook-id`, `webhook-timestamp`, `webhook-signature`) with ' +
      'the secret of `POST /v1/agents/{id}/webhook-secret`. Each event is delivered at least once: use `id` to drop ' +
      'duplicates and `sequence` to restore the order: it counts all events of the call, also those of other kinds. Ignore fields that you do not know.',
  },
  {
    name: 'Health',
    description: 'Check liveness and readiness, for load balancers and monitoring, without an API key.',
  },
] as const;
