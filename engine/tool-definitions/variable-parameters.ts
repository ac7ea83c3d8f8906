import { PLACEHOLDER } from '../agent/templates.ts';
import type { Variable } from '../agent/variable-schema.ts';
import type { CallContext } from '../core/context.ts';
import { variableLookup } from '../variables/variables.ts';
import type { VariableParameters } from './model-functions.ts';

/** The variables without a value that the texts of a state's functions contain: the model gives them as parameters. */
export function variableParameters(context: CallContext, stateIndex: number): VariableParameters {
  const { agent } = context;
  const ofState = (index: number) => agent.states[index]?.variables ?? [];
  return {
    ofTool: (tool) => {
      const mapped =
        tool.type === 'custom_function' ? tool.response_mapping.map((mapping) => mapping.destination_variable) : [];
      const declared = [...ofState(stateIndex), ...agent.variables].filter(({ name }) => !mapped.includes(name));
      return withoutValue(context, [tool.filler_sentence ?? ''], declared);
    },
    ofTransition: ({ transition, destination }) => {
      const texts = [transition.filler_sentence ?? '', agent.states[destination]?.prompt ?? ''];
      return withoutValue(context, texts, [...ofState(destination), ...ofState(stateIndex), ...agent.variables]);
    },
  };
}

function withoutValue(
  context: CallContext,
  texts: readonly string[],
  declared: readonly Variable[],
): readonly Variable[] {
  const names = new Set(texts.flatMap((text) => namesWithoutValue(context, text)));
  return [...names].flatMap((name) => declared.find((variable) => variable.name === name) ?? []);
}

/** The names of variables that a text needs and the call does not know. */
export function namesWithoutValue(context: CallContext, text: string): readonly string[] {
  const lookup = variableLookup(context);
  const paths = [...text.matchAll(PLACEHOLDER)].map(([, inner = '']) => inner.trim());
  return paths.filter((path) => lookup(path) === undefined).flatMap((path) => [path, path.split('.')[0] ?? '']);
}
