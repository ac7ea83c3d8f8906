import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

export const FRENCH: AnsweringMachinePhrases = {
  recording: ['après le|ce bip|signal|son|top', 'laissez|laisser … message', 'enregistrez … message'],
  absence: [
    'messagerie',
    'répondeur',
    'boîte vocale',
    'ne suis pas disponible|là',
    'ne sommes pas disponibles|là',
    'ne peux pas vous répondre',
    'ne peut pas vous répondre',
  ],
  menu: [
    'tapez|appuyez|composez|faites … un|deux|trois|quatre|cinq|six|sept|huit|neuf|zéro|dièse|étoile|1|2|3|4|5|6|7|8|9|0',
    'touche … un|deux|trois|étoile|dièse|1|2|3',
    'menu principal',
    'choix suivants',
  ],
  screening: [
    'dites|indiquez|donnez … votre nom',
    'raison|motif|objet de votre appel',
    'pourquoi vous appelez',
    'filtrage',
  ],
  announcement: [
    "n'est pas attribué",
    "n'est plus attribué",
    "n'est pas en service",
    "n'est plus en service",
    "n'est pas joignable",
    'injoignable',
    'ne peut aboutir',
    'correspondant que vous',
    "n'est pas accessible",
  ],
  pleaseWait: [
    'veuillez patienter',
    'merci de patienter',
    'ne quittez pas',
    'restez en ligne',
    "un instant s'il vous",
    'mettons en relation',
    'mets en relation',
  ],
};
