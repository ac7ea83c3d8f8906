import { FRENCH_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import { FRENCH_CLAUSES } from './french-clauses.ts';
import type { LanguagePack } from './language-pack.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const FRENCH: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, hm, hum, hmm, mm, mmm, ok, okay, oui, oui oui, ouais, ouaip, si, d'accord, dac, d'acc, voilà, voila,
    bien, bien sûr, très bien, c'est bien, bon, ah, ah bon, ah oui, oh, euh-hum, aha, entendu, compris, je comprends,
    j'ai compris, je vois, je sais, tout à fait, exact, exactement, absolument, effectivement, en effet, évidemment,
    certes, parfait, super, génial, impeccable, nickel, ça marche, ça va, ça roule, c'est ça, c'est bon, c'est exact,
    c'est vrai, c'est parfait, c'est noté, pas de souci, pas de soucis, pas de problème, aucun problème, vraiment,
    allez-y, carrément, volontiers, bien entendu`),
  attentionCalls: phraseSet(`
    allô, allo, toujours là, vous êtes là, vous êtes toujours là, vous êtes encore là, êtes-vous là,
    êtes-vous toujours là, est-ce que vous êtes là, est-ce que vous êtes toujours là, tu es là, tu es toujours là,
    t'es là, es-tu là, es-tu toujours là, il y a quelqu'un, y a quelqu'un, y a-t-il quelqu'un, vous m'entendez,
    vous m'entendez bien, m'entendez-vous, est-ce que vous m'entendez, tu m'entends, m'entends-tu`),
  stopPhrases: phraseSet(`
    stop, stoppez, attendez, attends, arrêtez, arrête, un instant, un moment, une seconde, une minute, deux secondes,
    deux minutes, non, pardon, excusez-moi, excuse-moi, désolé, désolée, laissez-moi parler, laissez-moi finir,
    écoutez, taisez-vous, ça suffit, laissez tomber, en fait`),
  farewells: phraseSet(`
    non merci, non c'est tout, au revoir, aurevoir, merci, merci beaucoup, merci bien, merci à vous, merci infiniment,
    mille mercis, je vous remercie, bonne journée, bonne soirée, bonne nuit, bonne fin de journée, bon après-midi,
    bonne après-midi, bon week-end, bon weekend, à bientôt, à plus, à plus tard, à tout à l'heure, à demain,
    à vendredi, salut, ciao, adieu, également, vous aussi, à vous aussi, de même, pareillement, vous de même,
    et à vous, c'est tout, ce sera tout, je vous en prie`),
  clauses: FRENCH_CLAUSES,
  dictation: {
    ...dictatedNumbers(FRENCH_NUMBERS, 'double triple'),
    ambiguous: wordSet('a à y un ô plus'),
    alphabet: wordSet(`
      anatole berthe célestin désiré eugène françois gaston henri irma joseph kléber louis marcel nicolas oscar pierre
      quintal raoul suzanne thérèse ursule victor william xavier yvonne zoé alpha bravo charlie delta écho echo
      foxtrot golf hôtel juliette kilo lima mike novembre papa québec roméo sierra tango uniforme whisky yankee zoulou`),
    letterLinks: phraseSet('comme, comme dans'),
    atSign: wordSet('arobase arobas arrobase at'),
    marks: wordSet('point tiret underscore slash barre virgule plus dièse'),
    streets: wordSet('rue avenue boulevard impasse allée allées chemin quai route square faubourg ruelle'),
    streetEndings: [],
    streetNameFollows: true,
  },
  abbreviations: wordSet('m mm mme mlle dr pr st ste av bd bld no env ex etc p.ex c.-à-d tél apr j.-c'),
  ordinalStop: false,
  apology: 'Je suis désolé, un problème est survenu de notre côté. Merci de rappeler un peu plus tard. Au revoir.',
  emptyResponseApology: 'Excusez-moi, j’ai perdu le fil. Pouvez-vous répéter, s’il vous plaît ?',
  toolFiller: 'Un instant s’il vous plaît, je m’en occupe encore.',
  thinkingFiller: 'Un instant, s’il vous plaît.',
  answeringMachine: {
    introduction: [
      'vous êtes bien|sur|chez|en',
      'vous avez joint|appelé',
      'ici le|la|les',
      'bienvenue chez|à|au',
      'merci de votre appel',
      "bonjour c'est",
    ],
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
  },
};
