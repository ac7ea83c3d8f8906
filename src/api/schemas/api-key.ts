import { z } from 'zod';
import { SCOPES } from '../../storage/access/organization-repository.ts';

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
