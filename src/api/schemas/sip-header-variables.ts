import { z } from 'zod';
import { RESERVED_NAMES } from '../../../engine/agent/reserved-names.ts';
import { identifier } from '../../../engine/agent/shared-fields.ts';
import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import { canonicalName } from '../../../sip/message/headers.ts';
import { isToken } from '../../../sip/message/token.ts';

const LISTED_MAX = 20;
const HEADER_NAME_LENGTH_MAX = 100;

/** Credentials, and identities that the caller may have asked to withhold (RFC 3325 §9.3): `from_number` respects it. */
const REFUSED_HEADERS = [
  'authorization',
  'proxy-authorization',
  'from',
  'contact',
  'p-asserted-identity',
  'p-preferred-identity',
  'remote-party-id',
];

const header = z
  .string()
  .min(1)
  .max(HEADER_NAME_LENGTH_MAX)
  .refine(isToken, 'expected the name of a SIP header')
  .refine((name) => !REFUSED_HEADERS.includes(canonicalName(name)), 'this header cannot become a variable');

const variable = identifier
  .refine((name) => BUILT_IN_VARIABLES.every((builtIn) => builtIn.name !== name), 'this is a built-in variable')
  .refine((name) => !RESERVED_NAMES.includes(name), 'this is a reserved name');

/** One header of the list `sip_header_variables`. */
const sipHeaderVariable = z
  .strictObject({
    header: header.describe(
      'Name of the header, in any case: `User-to-User`, an `X-` header or another. Not: credentials and headers with the identity of the caller.',
    ),
    variable: variable.describe('Name of the variable: letters, digits, `_` and `-`, 1 to 64 characters.'),
  })
  .meta({ id: 'SipHeaderVariable', description: 'A header of the INVITE that becomes a variable.' });

export const SIP_HEADER_VARIABLES =
  'Headers of the INVITE that become variables of the call, at most 20. `User-to-User` (RFC 7433) is decoded: its data without parameters, ' +
  'with `encoding=hex` the text that it spells. A value that has not the type that the agent declares is ignored. The caller may have ' +
  'written these values: a transfer follows them only within `allowed_destinations`.';

export const sipHeaderVariables = z
  .array(sipHeaderVariable)
  .max(LISTED_MAX)
  .refine((listed) => isDistinct(listed.map((entry) => canonicalName(entry.header))), 'expected each header once')
  .refine((listed) => isDistinct(listed.map((entry) => entry.variable)), 'expected each variable once');

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
