import { isIP } from 'node:net';
import { getCountries } from 'libphonenumber-js/max';
import { z } from 'zod';
import { parseAddressRange } from '../../../base/network/address-range.ts';
import { isSafeHeaderValue } from '../../../sip/message/custom-headers.ts';
import { USER_NAME } from '../../configuration/extensions.ts';
import { REDIRECT_MODES } from '../../storage/telephony/phone-number-repository.ts';
import { createdAt, givenId, phoneNumberSchema, readOnly, timestamp, webhookUrl } from './primitives.ts';
import { SIP_HEADER_VARIABLES, sipHeaderVariables } from './sip-header-variables.ts';

const NAME_LENGTH_MAX = 100;
const ALLOWED_ADDRESSES_MAX = 100;
const PRIORITY_MAX = 1_000;
/** Seconds. The minimum exceeds the 5 s response timeout. Beyond an hour the result comes too late to be useful. */
const OPTIONS_INTERVAL = { min: 10, max: 3_600 };
/** Far beyond the capacity of one node. */
const LIMIT_MAX = 100_000;

const name = z.string().trim().min(1).max(NAME_LENGTH_MAX).describe('Display name, 1 to 100 characters.');

const REDIRECT =
  'true: calls to this number go to `redirect_phone_number` instead of an agent. Needs `redirect_phone_number`.';
const REDIRECT_NUMBER = 'Destination of redirected calls, E.164: + and 7 to 15 digits. null: none.';
const REDIRECT_MODE =
  'How calls are redirected. `sip_302`: the inbound INVITE is answered with 302, and the call ends as `redirected`. `bridge`: the service ' +
  'calls `redirect_phone_number` through the trunk of this number and connects both parties, as a call without an agent.';
const INBOUND_AGENT =
  'Agent that answers inbound calls to this number. Staged calls use their own agent. null: unstaged calls are refused.';
const TRUNK_ID = 'SIP trunk for outbound calls from this number. null: no outbound calls.';

const LOOKUP_WEBHOOK_URL =
  'URL that is asked about each call to this number before the answer, with a signed request: `inbound_call_lookup` in the webhooks ' +
  'section. It may choose agent, variables and overrides, or refuse the call. Without a valid answer within 2 seconds `inbound_agent_id` ' +
  'takes the call. Needs an `inbound_agent_id` whose agent has a webhook secret. Staged and redirected calls are not looked up. null: none.';

const numberType = z.enum(['pstn', 'sip']).meta({ id: 'PhoneNumberType', description: 'Network of a phone number.' });
const redirectMode = z.enum(REDIRECT_MODES).meta({ id: 'RedirectMode', description: 'How calls are redirected.' });

const numberFields = {
  name,
  inbound_agent_id: givenId.nullable().describe(INBOUND_AGENT),
  redirect: z.boolean().describe(REDIRECT),
  redirect_phone_number: phoneNumberSchema.nullable().describe(REDIRECT_NUMBER),
  redirect_mode: redirectMode.describe(REDIRECT_MODE),
  trunk_id: givenId.nullable().describe(TRUNK_ID),
  lookup_webhook_url: webhookUrl.nullable().describe(LOOKUP_WEBHOOK_URL),
  sip_header_variables: sipHeaderVariables.describe(SIP_HEADER_VARIABLES),
};

export const phoneNumberBody = z
  .strictObject({
    number: phoneNumberSchema.describe('The phone number, E.164: + and 7 to 15 digits.'),
    name: name.optional().describe('Display name, 1 to 100 characters. Default: the number.'),
    type: numberType.default('sip').describe('Network of the number. Informational only. Default `sip`.'),
    inbound_agent_id: numberFields.inbound_agent_id.default(null).describe(INBOUND_AGENT),
    redirect: z.boolean().default(false).describe(REDIRECT),
    redirect_phone_number: numberFields.redirect_phone_number.default(null).describe(REDIRECT_NUMBER),
    redirect_mode: numberFields.redirect_mode.default('sip_302').describe(REDIRECT_MODE),
    trunk_id: numberFields.trunk_id.default(null).describe(TRUNK_ID),
    lookup_webhook_url: numberFields.lookup_webhook_url.default(null).describe(LOOKUP_WEBHOOK_URL),
    sip_header_variables: numberFields.sip_header_variables.default([]).describe(SIP_HEADER_VARIABLES),
  })
  .meta({ examples: [{ number: '+493012345678', name: 'Front desk' }] });

export const phoneNumberPatch = z
  .strictObject({
    ...numberFields,
    id: readOnly,
    number: readOnly,
    created_at: readOnly,
    type: readOnly,
    sip_uri: readOnly,
  })
  .partial()
  .meta({ examples: [{ inbound_agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11' }] });

export const phoneNumberResponseSchema = z
  .object({
    id: z.uuid().describe('Identifier of the phone number.'),
    number: z.string().describe('The phone number, E.164.'),
    name: z.string().describe('Display name.'),
    created_at: createdAt,
    type: numberType.describe('Network of the number. Informational only.'),
    inbound_agent_id: z.uuid().nullable().describe(INBOUND_AGENT),
    redirect: z.boolean().describe(REDIRECT),
    redirect_phone_number: z.string().nullable().describe(REDIRECT_NUMBER),
    redirect_mode: redirectMode.describe(REDIRECT_MODE),
    trunk_id: z.uuid().nullable().describe(TRUNK_ID),
    lookup_webhook_url: z.string().nullable().describe(LOOKUP_WEBHOOK_URL),
    sip_header_variables: sipHeaderVariables.describe(SIP_HEADER_VARIABLES),
    sip_uri: z.string().nullable().optional().describe('SIP URI of a number of type `sip`. null: none.'),
  })
  .meta({
    id: 'PhoneNumber',
    description: 'A phone number.',
    examples: [
      {
        id: 'c9f0f895-fb98-4b91-9d3f-7a1d2f3c4b22',
        number: '+493012345678',
        name: 'Front desk',
        created_at: '2026-03-02T09:00:00.000Z',
        type: 'sip',
        inbound_agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        redirect: false,
        redirect_phone_number: null,
        redirect_mode: 'sip_302',
        trunk_id: null,
        lookup_webhook_url: 'https://crm.example.com/calls/lookup',
        sip_header_variables: [{ header: 'X-Customer', variable: 'customer_id' }],
        sip_uri: null,
      },
    ],
  });

/** Written into SIP headers and URIs. */
const credential = z.string().min(1).refine(isSafeHeaderValue, 'expected no control characters');

const limit = z.int().min(1).max(LIMIT_MAX).nullable().default(null);

/** `host[:port]`, an IPv6 address in brackets (RFC 3261 §25.1, hostport). */
const hostPort = z
  .string()
  .max(260)
  .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?$/, 'expected host or host:port')
  .refine((text) => {
    const [, bracketed, portText] = /^(?:\[(.*)\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
    const portFits = portText === undefined || (Number(portText) >= 1 && Number(portText) <= 65_535);
    return portFits && (bracketed === undefined || isIP(bracketed) === 6);
  }, 'expected host or host:port');

/** An IPv6 address with a zone has at most 64 characters. */
const addressRange = z
  .string()
  .max(100)
  .refine((text) => {
    try {
      parseAddressRange(text);
      return true;
    } catch {
      return false;
    }
  }, 'expected an IP address or a CIDR range');

const TERMINATION_URI =
  'Destination of outbound calls: host or host:port. Without a port, NAPTR and SRV records are used.';

const COUNTRY =
  'Country of the trunk, ISO 3166-1 alpha-2 (`FR`). Numbers without `+` in SIP URIs are dialled as in this country. null: they are refused.';
const FROM_USER =
  'User part of From in outbound calls, as some carriers require; the calling number is then sent as P-Preferred-Identity. null: the ' +
  'calling number.';
const FROM_DOMAIN = 'Host of From in outbound calls. null: the address of the service.';

const country = z
  .enum(getCountries())
  .meta({ id: 'Country', description: 'Country, ISO 3166-1 alpha-2, for example `FR`.' });
const transport = z.enum(['udp', 'tcp', 'tls']).meta({ id: 'SipTransport', description: 'Transport of SIP messages.' });
const codec = z.enum(['pcmu', 'pcma', 'g722', 'opus']).meta({ id: 'Codec', description: 'Audio codec.' });
const srtp = z
  .enum(['off', 'optional', 'required'])
  .meta({ id: 'SrtpMode', description: 'Encryption of the audio (SRTP).' });
/** A host name, an IPv4 address, or an IPv6 address in brackets (RFC 3261 §25.1, host). */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)$/;

const trunkFields = z.strictObject({
  name,
  termination_uri: hostPort.describe(TERMINATION_URI),
  transport: transport.default('udp').describe('Transport of SIP messages. Default `udp`.'),
  username: credential
    .max(255)
    .nullable()
    .default(null)
    .describe('Username for digest authentication, at most 255 characters. null: none.'),
  password: credential
    .max(1_000)
    .nullable()
    .default(null)
    .describe(
      'Password for digest authentication, at most 1,000 characters. Write-only: responses omit it. null: none.',
    ),
  allowed_addresses: z
    .array(addressRange)
    .max(ALLOWED_ADDRESSES_MAX)
    .default([])
    .describe(
      'Source addresses of inbound calls from this trunk: IP addresses or CIDR ranges, at most 100. Ranges wider than /16 (IPv6: ' +
        '/32) must be private or allowed by the operator. Empty: any address; a trunk ' +
        'with a password and without registration must then authenticate (digest). If all trunks of the service list ' +
        'addresses, requests from other addresses get no response.',
    ),
  register: z
    .boolean()
    .default(false)
    .describe(
      'true: the service registers with the trunk (SIP REGISTER). Needs `username` and `password`. Default false.',
    ),
  codecs: z
    .array(codec)
    .max(4)
    .default([])
    .describe(
      'Codecs for calls on this trunk, in order of preference. Calls with other codecs only are refused (488). Empty: all codecs ' +
        'of the service, in its order.',
    ),
  srtp: srtp
    .default('off')
    .describe(
      'Encryption of the audio (SRTP). `off`: never. `optional`: if the peer offers or accepts it. `required`: calls without it are ' +
        'refused (488). Calls from outside all trunks are treated as `optional`.',
    ),
  inband_dtmf: z
    .boolean()
    .default(false)
    .describe(
      'true: also detect DTMF tones in the audio, for peers that send neither telephone events (RFC 4733) nor SIP INFO. Default false.',
    ),
  max_concurrent_calls: limit.describe(
    'Maximum number of simultaneous outbound calls. A call over the limit uses the next trunk by `priority`, or is refused (503). ' +
      'null: no limit.',
  ),
  max_calls_per_second: limit.describe(
    'Maximum number of outbound calls started per second. A call over the limit uses the next trunk by `priority`, or is refused (503). null: no limit.',
  ),
  priority: z
    .int()
    .min(0)
    .max(PRIORITY_MAX)
    .nullable()
    .default(null)
    .describe(
      'Rank as a fallback trunk, 0 to 1,000, the lowest first. Fallback trunks are tried if the trunk of the number fails before ' +
        'ringing (no connection, 408, 503) or is at its limits. null: no fallback, only calls from its own numbers.',
    ),
  options_interval: z
    .int()
    .min(OPTIONS_INTERVAL.min)
    .max(OPTIONS_INTERVAL.max)
    .nullable()
    .default(null)
    .describe(
      'Seconds between two SIP OPTIONS requests that check whether the trunk is reachable, 10 to 3,600. While it is not, calls ' +
        'try other trunks first. null: no checks.',
    ),
  country: country.nullable().default(null).describe(COUNTRY),
  from_user: z.string().regex(USER_NAME, 'expected a SIP user name').nullable().default(null).describe(FROM_USER),
  from_domain: z
    .string()
    .max(255)
    .regex(HOST, 'expected a host name or address')
    .nullable()
    .default(null)
    .describe(FROM_DOMAIN),
});

export const sipTrunkBody = trunkFields
  .refine((trunk) => !trunk.register || (trunk.username !== null && trunk.password !== null), {
    path: ['register'],
    message: 'registration needs username and password',
  })
  .meta({
    examples: [{ name: 'Carrier', termination_uri: 'sip.example.com:5060', allowed_addresses: ['192.0.2.0/24'] }],
  });

/** Without defaults: a default would overwrite a field that the client did not send. */
export const sipTrunkPatch = z
  .strictObject({
    name,
    termination_uri: trunkFields.shape.termination_uri,
    transport: sent(trunkFields.shape.transport),
    username: sent(trunkFields.shape.username),
    password: sent(trunkFields.shape.password),
    allowed_addresses: sent(trunkFields.shape.allowed_addresses),
    register: sent(trunkFields.shape.register),
    codecs: sent(trunkFields.shape.codecs),
    srtp: sent(trunkFields.shape.srtp),
    inband_dtmf: sent(trunkFields.shape.inband_dtmf),
    max_concurrent_calls: sent(trunkFields.shape.max_concurrent_calls),
    max_calls_per_second: sent(trunkFields.shape.max_calls_per_second),
    priority: sent(trunkFields.shape.priority),
    options_interval: sent(trunkFields.shape.options_interval),
    country: sent(trunkFields.shape.country),
    from_user: sent(trunkFields.shape.from_user),
    from_domain: sent(trunkFields.shape.from_domain),
    id: readOnly,
    reachability: readOnly,
    registration: readOnly,
    created_at: readOnly,
  })
  .partial()
  .meta({ examples: [{ max_concurrent_calls: 20, allowed_addresses: ['192.0.2.0/24'] }] });

function sent<T extends z.ZodType>(field: z.ZodDefault<T>): T {
  return field.unwrap().describe(field.description ?? '');
}

const trunkReachability = z
  .object({
    reachable: z.boolean().describe('true: the last OPTIONS request got a response other than 408 and 503.'),
    status: z.int().nullable().describe('SIP status of that response. null: no response within 5 seconds.'),
    round_trip_ms: z
      .number()
      .nullable()
      .describe('Time from the request to the response, ms. null without a response.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Cause of a missing response. null if there was one. For a private address outside the networks of the operator, 408, 503 ' +
          'and a closed port are `no answer` too.',
      ),
    since: timestamp.describe('Time of the last change of `reachable` on the node `node_id`, ISO 8601.'),
    node_id: z
      .string()
      .nullable()
      .describe('Node that made this check: of several nodes, the one that reaches the trunk worst. null with SQLite.'),
    unreachable_nodes: z
      .array(z.string())
      .describe('Nodes from which the trunk is not reachable. A call of another node may succeed.'),
  })
  .meta({ id: 'TrunkReachability', description: 'Result of the reachability checks of a trunk.' });

const trunkRegistration = z
  .object({
    status: z
      .enum(['registering', 'registered', 'failed', 'unregistered'])
      .describe('State of the registration. A failed registration is retried.'),
    expires_at: timestamp.nullable().describe('Expiry of the registration, ISO 8601. null while not registered.'),
    error: z.string().nullable().describe('Cause of the last failure. null without one.'),
    node_id: z.string().nullable().describe('Node that registers with the trunk. null with SQLite.'),
  })
  .meta({ id: 'TrunkRegistration', description: 'Registration with a trunk.' });

export const sipTrunkResponseSchema = z
  .object({
    id: z.uuid().describe('Identifier of the SIP trunk.'),
    name: z.string().describe('Display name.'),
    termination_uri: z.string().describe(TERMINATION_URI),
    transport: transport.describe('Transport of SIP messages.'),
    username: z.string().nullable().describe('Username for digest authentication. null: none.'),
    allowed_addresses: z
      .array(z.string())
      .describe('Source addresses of inbound calls from this trunk: IP addresses or CIDR ranges. Empty: any.'),
    register: z.boolean().describe('true: the service registers with the trunk.'),
    codecs: z
      .array(z.string())
      .describe('Codecs for calls on this trunk, in order of preference. Empty: all codecs of the service.'),
    srtp: srtp.describe('Encryption of the audio (SRTP).'),
    inband_dtmf: z.boolean().describe('true: DTMF tones in the audio are detected, too.'),
    max_concurrent_calls: z.int().nullable().describe('Maximum number of simultaneous outbound calls. null: no limit.'),
    max_calls_per_second: z
      .int()
      .nullable()
      .describe('Maximum number of outbound calls started per second. null: no limit.'),
    priority: z.int().nullable().describe('Rank as a fallback trunk, the lowest first. null: no fallback.'),
    options_interval: z.int().nullable().describe('Seconds between two SIP OPTIONS requests. null: no checks.'),
    country: z.string().nullable().describe(COUNTRY),
    from_user: z.string().nullable().describe(FROM_USER),
    from_domain: z.string().nullable().describe(FROM_DOMAIN),
    reachability: trunkReachability
      .nullable()
      .describe('Result of the reachability checks. null before the first check and without checks.'),
    registration: trunkRegistration.nullable().describe('Registration with the trunk. null without a registration.'),
    created_at: createdAt,
  })
  .meta({
    id: 'SipTrunk',
    description: 'A SIP trunk.',
    examples: [
      {
        id: 'd3d94468-02a4-4259-b55d-38e6d163e820',
        name: 'Carrier',
        termination_uri: 'sip.example.com:5060',
        transport: 'udp',
        username: null,
        allowed_addresses: ['192.0.2.0/24'],
        register: false,
        codecs: [],
        srtp: 'off',
        inband_dtmf: false,
        max_concurrent_calls: null,
        max_calls_per_second: null,
        priority: null,
        options_interval: null,
        country: null,
        from_user: null,
        from_domain: null,
        reachability: null,
        registration: null,
        created_at: '2026-03-02T09:00:00.000Z',
      },
    ],
  });
