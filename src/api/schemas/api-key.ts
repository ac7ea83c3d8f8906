import { z } from 'zod';
import { API_KEY_NAME_LENGTH_MAX, isApiKeyName } from '../../secrets/api-key.ts';
import { SCOPES } from '../../storage/access/organization-repository.ts';
import { createdAt, timestamp } from './primitives.ts';

const scope = z.enum(SCOPES).meta({ id: 'Scope', description: 'What an API key may do. `admin` includes the others.' });

export const apiKeySchema = z
  .object({
    id: z.uuid().describe('Identifier of the key.'),
    name: z.string().describe('Name of the key, for people.'),
    organization_id: z.uuid().describe('Organization that the key belongs to.'),
    scopes: z.array(scope).describe('What the key may do.'),
  })
  .meta({
    id: 'ApiKey',
    description: 'An API key, without its secret.',
    examples: [
      {
        id: '6f1ed002-ab5f-4b5b-9d0e-0c9f6a3c7d21',
        name: 'console',
        organization_id: '00000000-0000-4000-8000-000000000001',
        scopes: ['read', 'write'],
      },
    ],
  });

const EXAMPLE_LISTING = {
  id: '6f1ed002-ab5f-4b5b-9d0e-0c9f6a3c7d21',
  name: 'console',
  organization_id: '00000000-0000-4000-8000-000000000001',
  scopes: ['read', 'write'] as const,
  prefix: 'tl_Xk29bQ0',
  created_at: '2026-03-02T09:00:00.000Z',
  revoked_at: null,
};

export const apiKeyBody = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(API_KEY_NAME_LENGTH_MAX)
      .refine(isApiKeyName, 'expected a name that is not blank and not TRUNKLINE_API_KEY')
      .describe('Name of the key, for people, 1 to 100 characters.'),
    scopes: z
      .array(scope)
      .min(1)
      .max(SCOPES.length)
      .default(['read', 'write'])
      .describe('What the key may do. Default `read` and `write`.'),
  })
  .meta({ examples: [{ name: 'console', scopes: ['read', 'write'] }] });

export const apiKeyListingSchema = apiKeySchema
  .extend({
    prefix: z.string().describe('First characters of the key. Empty for a key that the service did not make.'),
    created_at: createdAt,
    revoked_at: timestamp.nullable().describe('Time of the revocation, ISO 8601. null: the key is valid.'),
  })
  .meta({ id: 'ApiKeyListing', description: 'A stored API key, without its secret.', examples: [EXAMPLE_LISTING] });

export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().describe('The key itself. Shown only here: it is stored as a hash.') })
  .meta({
    id: 'CreatedApiKey',
    description: 'A new API key with its secret.',
    examples: [
      {
        id: EXAMPLE_LISTING.id,
        name: EXAMPLE_LISTING.name,
        organization_id: EXAMPLE_LISTING.organization_id,
        scopes: EXAMPLE_LISTING.scopes,
        key: 'tl_Xk29bQ0sV7nq3Fh1Lw8Zt5Cy6Rd4Jm2Pa9Ue0Gi7Ko1',
      },
    ],
  });
