import type { session as english } from './en.ts';

export const session: typeof english = {
  key: 'Clé d’API',
  signIn: 'Se connecter',
  explanation:
    'Connectez-vous avec une clé d’API. Elle reste dans cet onglet jusqu’à sa fermeture. Créez-en une avec « trunkline keys create ».',
  refused: 'Cette clé d’API a été refusée : elle est inconnue ou révoquée.',
  addKey: 'Ajouter une autre clé',
  removeKey: 'Déconnecter cette clé',
  keys: 'Clés d’API',
  scopes: 'Droits',
  account: (name) => `Clé d’API ${name}, changer ou se déconnecter`,
  kept: 'Vos modifications non enregistrées d’un agent sont conservées. Vous les retrouverez après la connexion.',
  keptHere: 'Le service a refusé la clé utilisée. Des modifications non enregistrées d’un agent sont conservées.',
  keptElsewhere: 'Pour continuer, utilisez une clé de la même organisation avec le droit « write ».',
  goOn: 'Continuer à modifier',
  discard: 'Abandonner les modifications',
  noAccess: 'Accès impossible',
  scopeMissing: (scope) => `La clé d’API utilisée n’a pas le droit « ${scope} » que cette page exige.`,
};
