import { z } from 'zod';
import { description, identifier } from './shared-fields.ts';

export const variableTypeSchema = z
  .enum(['string', 'number', 'integer', 'boolean', 'date', 'datetime', 'object', 'array'])
  .meta({ id: 'VariableType', description: 'Type of a value.' });
export type VariableType = z.output<typeof variableTypeSchema>;

export const variableType = variableTypeSchema.default('string').describe('Type of the value. Default `string`.');

export const variableSchema = z
  .strictObject({
    name: identifier,
    type: variableType,
    description: description(2_000),
    extraction_instructions: z
      .string()
      .max(10_000)
      .optional()
      .describe('Instructions for extracting the value from the conversation, at most 10,000 characters.'),
  })
  .meta({ id: 'Variable', description: 'A variable of the conversation.' });
export type Variable = z.output<typeof variableSchema>;

/** Variables that every call has without declaration. */
export const BUILT_IN_VARIABLES: readonly Variable[] = [
  { name: 'from_number', type: 'string', description: 'Number of the calling party.' },
  { name: 'to_number', type: 'string', description: 'Number of the called party.' },
  { name: 'call_start_time', type: 'datetime', description: 'When the call was answered.' },
  { name: 'call_id', type: 'string', description: 'Identifier of the call.' },
];
