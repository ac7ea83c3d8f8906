import { isIP } from 'node:net';
import { z } from 'zod';
import { parseAddressRange } from '../../../base/network/address-range.ts';
import { isSafeHeaderValue } from '../../../sip/signalling/custom-headers.ts';
import { REDIRECT_MODES } from '../../storage/telephony/phone-number-repository.ts';
import { givenId, phoneNumberSchema, timestamp } from './primitives.ts';

const NAME_LENGTH_MAX = 100;
const ALLOWED_ADDRESSES_MAX = 100;
const PRIORITY_MAX = 1_000;
/** Seconds. An answer is waited for five; over an hour nothing would be learnt in time. */
const OPTIONS_INTERVAL = { min: 10, max: 3_600 };
/** Far beyond what one node carries. */
const LIMIT_MAX = 100_000;

const name = z.string().min(1).max(NAME_LENGTH_MAX).describe('For people, 1 to 100 characters.');

const REDIRECT = 'true: calls to it go to redirect_phone_number instead of an agent.';
const REDIRECT_NUMBER = 'Where its calls go while redirect is on: E.164, + and 7 to 15 digits; null: nowhere.';
const REDIRECT_MODE =
  "How its calls go there: `sip_302` answers the caller's side 302 and makes no call; `bridge` calls redirect_phone_number through the trunk of this number and holds the two together, as a call without an agent.";

const numberFields = {
  name,
  inbound_agent_id: givenId.nullable().describe('Answers calls to this number that were not staged.'),
  redirect: z.boolean().describe(REDIRECT),
  redirect_phone_number: phoneNumberSchema.nullable().describe(REDIRECT_NUMBER),
  redirect_mode: z.enum(REDIRECT_MODES).describe(REDIRECT_MODE),
  trunk_id: givenId.nullable().describe('The SIP trunk that calls from this number go out by.'),
};

export const phoneNumberBody = z
  .strictObject({
    number: phoneNumberSchema,
    name: name.optional().describe('For people, 1 to 100 characters; the number itself where it is left out.'),
    type: z.enum(['pstn', 'sip']).default('sip').describe('Of what network the number is; a note, nothing more.'),
    inbound_agent_id: numberFields.inbound_agent_id
      .default(null)
      .describe('Answers calls to this number that were not staged.'),
    redirect: z.boolean().default(false).describe(REDIRECT),
    redirect_phone_number: numberFields.redirect_phone_number.default(null).describe(REDIRECT_NUMBER),
    redirect_mode: numberFields.redirect_mode.default('sip_302').describe(REDIRECT_MODE),
    trunk_id: numberFields.trunk_id.default(null).describe('The SIP trunk that calls from this number go out by.'),
  })
  .meta({ examples: [{ number: '+493012345678', name: 'Front desk' }] });

export const phoneNumberPatch = z
  .strictObject(numberFields)
  .partial()
  .meta({ examples: [{ inbound_agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11' }] });

export const phoneNumberAnswerSchema = z
  .object({
    id: z.uuid().describe('Its id.'),
    number: z.string().describe('E.164.'),
    name: z.string().describe('For people.'),
    created_at: timestamp,
    type: z.enum(['pstn', 'sip']).describe('Of what network the number is.'),
    inbound_agent_id: z.uuid().nullable().describe('Answers calls to this number that were not staged; null: nobody.'),
    redirect: z.boolean().describe(REDIRECT),
    redirect_phone_number: z.string().nullable().describe('E.164; null: nowhere.'),
    redirect_mode: z.enum(REDIRECT_MODES).describe(REDIRECT_MODE),
    trunk_id: z.uuid().nullable().describe('The SIP trunk that calls from this number go out by; null: none.'),
    sip_uri: z.string().nullable().optional().describe('Of a number of type sip.'),
  })
  .meta({
    id: 'PhoneNumber',
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
        sip_uri: null,
      },
    ],
  });

/** Stands in a header and in a URI of ours. */
const credential = z.string().min(1).refine(isSafeHeaderValue, 'expected no control characters');

const limit = z.int().min(1).max(LIMIT_MAX).nullable().default(null);

/** `host[:port]`; an IPv6 address stands in brackets (RFC 3261 §25.1, hostport). */
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

const trunkFields = z.strictObject({
  name,
  termination_uri: hostPort.describe('Where its calls are sent: host or host:port.'),
  transport: z.enum(['udp', 'tcp', 'tls']).default('udp').describe('What its SIP is carried by.'),
  username: credential.max(255).nullable().default(null).describe('What its challenges are answered with.'),
  password: credential.max(1_000).nullable().default(null).describe('Write-only.'),
  allowed_addresses: z
    .array(addressRange)
    .max(ALLOWED_ADDRESSES_MAX)
    .default([])
    .describe(
      'Where its calls come from: addresses or CIDR ranges. Empty: from anywhere, and where the trunk has a password and does not register, only from those who prove it (digest). Where all trunks of the service list their addresses, requests of others get no answer.',
    ),
  register: z.boolean().default(false).describe('Registers with the trunk, which needs username and password.'),
  codecs: z
    .array(z.enum(['pcmu', 'pcma', 'g722', 'opus']))
    .max(4)
    .default([])
    .describe(
      'What is offered to it and taken from it, in order of preference, others refused (488); empty: what the service prefers.',
    ),
  srtp: z
    .enum(['off', 'optional', 'required'])
    .default('off')
    .describe(
      'Whether the audio of its calls is encrypted, both ways: `off` never, `required` always (488 for a caller without keys). A call that came by no trunk is answered as by `optional`.',
    ),
  inband_dtmf: z
    .boolean()
    .default(false)
    .describe(
      'Whether keys are also looked for as tones in the audio, for peers that send neither telephone events nor SIP INFO.',
    ),
  max_concurrent_calls: limit.describe(
    'Calls placed through it at once; one more goes to the next trunk, or is refused.',
  ),
  max_calls_per_second: limit.describe('Calls placed through it within a second.'),
  priority: z
    .int()
    .min(0)
    .max(PRIORITY_MAX)
    .nullable()
    .default(null)
    .describe(
      'Where the trunk of a number fails (no connection, 408 or 503 before it rings) or is at its limits, the trunks with a priority are tried, the lowest first. null: only calls of its own numbers go through it.',
    ),
  options_interval: z
    .int()
    .min(OPTIONS_INTERVAL.min)
    .max(OPTIONS_INTERVAL.max)
    .nullable()
    .default(null)
    .describe(
      'Seconds between two OPTIONS by which each node asks whether it is there, 10 to 3,600; while it is not, calls try other trunks before it. null: it is not asked.',
    ),
});

export const sipTrunkBody = trunkFields
  .refine((trunk) => !trunk.register || (trunk.username !== null && trunk.password !== null), {
    path: ['register'],
    message: 'needs username and password',
  })
  .meta({
    examples: [{ name: 'Carrier', termination_uri: 'sip.example.com:5060', allowed_addresses: ['192.0.2.0/24'] }],
  });

/** Defaults are taken off: they would stand for fields that were not sent. */
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
  })
  .partial()
  .meta({ examples: [{ max_concurrent_calls: 20, allowed_addresses: ['192.0.2.0/24'] }] });

function sent<T extends z.ZodType>(field: z.ZodDefault<T>): T {
  return field.unwrap().describe(field.description ?? '');
}

export const sipTrunkAnswerSchema = z
  .object({
    id: z.uuid().describe('Its id.'),
    name: z.string().describe('For people.'),
    termination_uri: z.string().describe('Where its calls are sent: host or host:port.'),
    transport: z.enum(['udp', 'tcp', 'tls']).describe('What its SIP is carried by.'),
    username: z.string().nullable().describe('What its challenges are answered with; null: none.'),
    allowed_addresses: z.array(z.string()).describe('Where its calls come from: addresses or CIDR ranges.'),
    register: z.boolean().describe('Whether this service registers with it.'),
    codecs: z
      .array(z.string())
      .describe('What is offered to it, in order of preference; empty: what the service prefers.'),
    srtp: z.enum(['off', 'optional', 'required']).describe('Whether the audio of its calls is encrypted.'),
    inband_dtmf: z.boolean().describe('Whether keys are also looked for as tones in the audio.'),
    max_concurrent_calls: z.int().nullable().describe('Calls placed through it at once; null: no bound of its own.'),
    max_calls_per_second: z.int().nullable().describe('Calls placed through it within a second; null: no bound.'),
    priority: z
      .int()
      .nullable()
      .describe('Its place among the trunks that stand in for another; null: it stands in for none.'),
    options_interval: z.int().nullable().describe('Seconds between two OPTIONS that are sent to it; null: none is.'),
    reachability: z
      .object({
        reachable: z.boolean().describe('Whether the last OPTIONS was answered, but by 408 or 503.'),
        status: z.int().nullable().describe('Of that answer; null: none came within five seconds.'),
        round_trip_ms: z.number().nullable().describe('From the request to that answer, ms.'),
        error: z.string().nullable().describe('Why none came.'),
        since: timestamp.describe('Since when it is reachable, or is not, as this node sees it.'),
      })
      .nullable()
      .describe('null for a trunk that is not asked, or was not yet.'),
    registration: z
      .object({
        status: z
          .enum(['registering', 'registered', 'failed', 'unregistered'])
          .describe('A failed one is tried again.'),
        expires_at: timestamp.nullable().describe('ISO 8601; null while it is not registered.'),
        error: z.string().nullable().describe('Why the last try failed; it is tried again.'),
      })
      .nullable()
      .describe('null for a trunk that this node does not register with.'),
    created_at: timestamp,
  })
  .meta({
    id: 'SipTrunk',
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
        reachability: null,
        registration: null,
        created_at: '2026-03-02T09:00:00.000Z',
      },
    ],
  });
