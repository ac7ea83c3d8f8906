import type { ClauseWords } from './clause-words.ts';
import { compounds, phraseSet, wordSet } from './word-lists.ts';

export const GERMAN_CLAUSES: ClauseWords = {
  open: wordSet(`
    und oder aber sondern denn weil dass daß ob bevor nachdem während sobald obwohl damit sowie bzw beziehungsweise
    der die den dem des ein eine einen einem einer eines kein keine keinen mein meine meinen meinem meiner dein
    deine deinen sein seine seinen ihr ihre ihren ihrem ihrer unser unsere unseren unserer euer eure jede jeden
    jeder jedes diese dieser diesem diesen welche welcher welchen zum zur vom beim im am ins ans wegen für ohne
    gegen seit äh ähm ähem öh öhm ehm em hm herr frau halb`),
  mostlyOpen: wordSet(`
    ist sind war waren bin sei wäre zu von mit bei über zwischen durch um bis als wie wenn falls ich wir heißt heiße
    nämlich`),
  openUnmarked: wordSet(`
    wären hat haben habe hatte hätte hätten wird werden wurde würde würden kann können könnte könnten muss
    müssen müsste soll sollen sollte will wollen wollte möchte möchten darf dürfen dürfte mag da das dann also
    er man in an auf aus nach vor unter neben hinter es was wo wann wer wen wem warum wieso weshalb tja ne sehr
    ganz noch nur etwa ungefähr circa quasi irgendwie halt ja kannst könnt konnte konnten musst musste mussten
    sollten wollten durfte wurden hatten bräuchten bräuchte`),
  openEndings: phraseSet(`
    ich möchte gerne, ich möchte gern, ich hätte gerne, ich hätte gern, ich würde gerne, ich würde gern, hätte
    gerne, hätte gern, würde gerne, würde gern, möchte gerne, möchte gern, wir würden gerne, wir möchten gerne, ich
    wollte, ich wollte fragen, wollte fragen, ich wollte mal fragen, ich rufe an, rufe an weil, ich rufe an wegen,
    ich bräuchte, ich brauche, mein name ist, mein problem ist, das problem ist, die sache ist, die frage ist, es
    geht um, geht es um, es handelt sich um, es ist so, und zwar, ich glaube, ich denke, ich hoffe, ich habe, ich
    bin, wir haben, wir sind, haben sie, können sie, können sie mir, könnten sie, könnten sie mir, könnten sie mir
    bitte, können sie mir bitte, könnten sie bitte, können sie bitte, könnte ich bitte, sagen sie mir bitte, gibt
    es, ist es möglich, wäre es möglich, würden sie, würden sie bitte, kann man, kann ich, wie viel, wie lange, wie
    oft, sie können mich, ich kann, die nummer ist, am besten, auf den, in der, in die, mit dem, zwischen dem, so
    dass, je nachdem, statt dessen, anstatt, um zu, einfach nur, nicht nur, entweder, sowohl, weder, noch eine, noch
    ein, ich würde, mir bitte, mir mal, gibt es vielleicht, haben sie vielleicht, können sie vielleicht, gibt es
    noch, haben sie noch, ich habe mich gefragt, ich frage mich, wie viel kostet, wieviel kostet, was kostet denn,
    wollte ist, möchte ist, will ist, müsste mal, wollte mal, würde mal, könnte mal, müsste noch, ich versuche, ist
    doktor, herr doktor, frau doktor, ist professor, ich versuche gerade, so ein, so eine, und noch was, und noch
    etwas, noch eine sache, brauche ist, habe ist, suche ist, anrufe ist, verstehe ist, weiß ist`),
  reportEndings: phraseSet(`
    ich wollte sagen, wollte sagen, ich meinte, wurde mir gesagt, ich meine`),
  closedEndings: phraseSet(`
    das kann ich, das weiß ich, das möchte ich, das will ich, das habe ich, das bin ich, das hätte ich, das
    mache ich, ja das ist es, so ist es, ja bin ich, ja habe ich, ja kann ich, ja möchte ich, ja will ich, ja
    haben wir, nein habe ich, ja können sie, nein das ist es, ich bin es, ich bin da, ich weiß nicht was, am
    besten am, weiß ich nicht, ja das kann man, was soll das, wie geht das, das war es, was ist das, wo ist das,
    wann ist das, ist das, wie lange dauert das, geht das, passt das, stimmt das, was kostet das, was heißt das,
    ich möchte das, ich brauche das, ich will das, ich weiß das, ich glaube das, brauche ich das, mache ich das,
    noch was, sonst noch was, von ihnen aus, von mir aus, nach und nach, ab und zu, ja ja, oh ja, ach ja, na ja,
    ach ja ja, alles gut ja, ja und ja, funktioniert das, heißt das, dauert das, macht das, kostet das, läuft
    das, gestern da, nicht da, heute da, noch da, schon da, wieder da, ist da, war da, bin da, ich glaube schon,
    ich denke schon, das würde ich, das könnte ich, das brauche ich, tag noch, abend noch, wochenende noch, was
    noch, wer noch, genau das, was sie meinen, wie sie meinen, was wir meinen, meinen sie damit, heißt das damit`),
  objectVerbs: wordSet(`
    brauche bräuchte benötige suche buche bestelle reserviere nehme brauchen benötigen suchen melde ändere
    storniere möchten hätten schicke schicken geben gebe zeigen senden sende bräuchten benötigten`),
  verbFinal: true,
  particles: wordSet('an auf aus ab vor nach ein zu um mit über durch'),
  particleVerbs: wordSet(`
    rufe rufen ruf ruft rief komme kommen kommt kam melde melden meldet fängt fangen höre hören hört mache machen
    macht schaue schauen schau nehme nehmen nimmt gebe geben gibt stelle stellen stellt sehe sehen sieht biete
    bieten bietet ziehe ziehen zieht schalte schalten schaltet steige steigen bringe bringen bringt hole holen holt
    sage sagen sagt lege legen legt probiere probieren fülle füllen schicke schicken schickt geht ging gehe gehen
    fällt fiel läuft hält halte passe passt weiche trifft treffe reicht bereite warte wähle springt springen steht
    stehe zahle zahlt fange fing`),
  questionWords: wordSet(`
    was wer wie wo wann warum wieso weshalb welche welcher welches welchen wohin woher wen wem womit worum wofür
    wozu wobei woran worüber wovon wieviel`),
  auxiliaries: wordSet(`
    ist sind war bin bist hat haben habe hatte hätte hätten wird werden würde würden kann können könnte könnten
    muss müssen müsste soll sollen sollte will wollen wollte möchte möchten darf dürfen dürfte mag sollten
    müssten dürften wollten kannst könnt konnte konnten musst musste mussten durfte wurde wurden hatten wäre
    wären bräuchte bräuchten`),
  pronouns: wordSet('ich sie er wir es man du ihr'),
  clauseOpeners: phraseSet(`
    wenn, falls, sobald, solange, bevor, nachdem, obwohl, sofern, damit, seitdem, auch wenn, immer wenn, nur wenn,
    während ich, während sie, während wir, während er, als ich, als wir, als er, als sie`),
  mainClauseStarts: phraseSet(`
    dann, bitte, so, rufen sie, sagen sie, geben sie, schicken sie, melden sie, warten sie, komme ich, brauche ich,
    nehme ich, rufe ich, melde ich, gehe ich, mache ich, bekomme ich, zahle ich, bezahle ich, bleibt, kommt er,
    kommt sie, gilt, geht das, ginge das, passt, klappt, gibt es, bin ich, war ich, funktioniert`),
  leadWords: wordSet(`
    ja nein nee ne okay ok gut also und aber oh ah ach hallo guten tag morgen abend moment genau richtig klar nun
    jetzt naja na äh ähm hm bitte entschuldigung sorry danke weil oder so doch super prima nur`),
  closings: phraseSet(`
    bitte, danke, danke schön, vielen dank, danke sehr, besten dank, wäre nett, wäre super, das wäre alles, das
    war's, das wär's, tschüss, wiederhören, wenn es geht, wenn das geht, wenn möglich`),
  phrases: {
    determiners: wordSet(`
    ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren
    ihrem ihrer seinem seinen seiner`),
    pronounArticles: wordSet('der die das den dem ihr ihre sein seine dieser diese dieses es'),
    objectQuestions: wordSet('was wen wem welche welchen welches'),
    conjunctions: wordSet('dass weil ob wenn falls obwohl'),
    relatives: wordSet('der die das den dem denen dessen deren welche welcher welches'),
    firstPersons: wordSet('ich'),
    degrees: wordSet('sehr ziemlich ganz recht wirklich richtig relativ besonders'),
    adjectiveFirst: true,
    stranded: wordSet('her hin ab an auf aus ein vor mit zu um nach denn'),
    prepositions: wordSet(`
    von vom mit bei beim in im an am auf aus nach vor für zu zum zur seit über unter um bis gegen wegen ohne durch
    neben zwischen`),
    adverbs: wordSet(`
    gestern heute morgen vorgestern übermorgen jetzt eigentlich leider plötzlich immer oft früh dann da seitdem
    inzwischen momentan letztens neulich irgendwann grundsätzlich normalerweise wahrscheinlich`),
    softeners: wordSet(`
    auch vielleicht mal kurz noch eventuell eben gerade einfach nur eigentlich lieber gern gerne schon bereits
    nämlich leider einmal wahrscheinlich`),
    participleEndings: [],
    adjectives: wordSet(`
    letzte letzten letzter letztes nächste nächsten erste ersten zweite zweiten dritte neue neuen neuer neues alte
    alten alter altes ganze ganzen andere anderen große kleine vergangenen vorige vorigen`),
    timeNouns: wordSet(`
    montag dienstag mittwoch donnerstag freitag samstag sonntag woche monat jahr tag morgen abend vormittag
    nachmittag mittag nacht wochenende uhr wochen monaten monate jahren jahre tagen tage stunden stunde minuten
    minute`),
    articles: wordSet('der die das den dem ihr ihre ihren sein seine dieser diese dieses unser unsere'),
    indefinites: wordSet('ein eine einen einem einer eines'),
    verbEndings: ['t', 'en', 'st'],
    nounEndings: [],
    pronominal: wordSet(`
    hier dort dran so nicht weg alles nichts was bitte danke selbst selber`),
    residenceVerbs: wordSet('wohne wohnen wohnt wohnhaft lebe leben gezogen'),
    subjectDeterminers: wordSet('der die mein meine unser unsere ihr ihre sein seine'),
    modals: wordSet(`
    kann kannst können könnte könnten darf dürfen dürfte soll sollen sollte sollten müsste müssten würde würden`),
    objectModals: wordSet(`
    kann können könnte könnten konnte konnten muss müssen müsste müssten musste mussten soll sollen sollte sollten
    darf dürfen dürfte dürften würde würden`),
    wishModals: wordSet('möchte möchten will wollen wollte wollten'),
    objectPronouns: wordSet('mir mich uns ihm ihr ihnen'),
    titles: wordSet('frau herr'),
    wishVerbs: wordSet('will wollte möchte brauche suche mag'),
    lightVerbs: wordSet('macht'),
    helpWords: wordSet('helfen tun passiert geschehen'),
  },
  spoken: {
    hesitations: phraseSet(`
    also, na ja, naja, nun, tja, na, gut, also gut, schauen sie, wissen sie, hören sie, sehen sie, ich meine,
    sagen wir, quasi, wie gesagt, die sache ist, die sache ist die, das problem ist, das ding ist, es ist so,
    eigentlich, ja also, ja nun`),
    pastWords: wordSet('gestern vorgestern letzte letzten letztes letzter neulich letztens vorige vorigen'),
    holds: phraseSet(`
    moment, moment mal, einen moment, warten sie, warten sie mal, warte, warte mal, wart mal, sekunde, eine
    sekunde, augenblick, einen augenblick, halt, stopp, sekündchen, momentchen`),
    searches: phraseSet(`
    ich schaue, ich schau, ich gucke, ich guck, ich sehe nach, ich muss nachsehen, ich muss nachschauen, ich muss
    schauen, ich muss überlegen, ich überlege, da muss ich nachsehen, da muss ich nachschauen, da muss ich schauen,
    das muss ich nachsehen, das muss ich nachschauen, lassen sie mich nachsehen, lassen sie mich schauen, lassen sie
    mich überlegen, ich hole meine, ich hole die, ich hole den, ich hole das`),
    retractions: phraseSet(`
    nein, nee, nö, ne, quatsch, falsch, entschuldigung, verzeihung, sorry, pardon, doch nicht, blödsinn, ich
    meine, beziehungsweise, stimmt nicht`),
    speakers: wordSet('ich wir'),
    negations: wordSet('nicht kein keine keinen nie niemand nichts'),
    indefinitePersons: wordSet('jemand jemanden niemand einer irgendjemand irgendwer'),
    negativeObjects: wordSet(''),
    elidedObjects: wordSet(''),
    perfectAuxiliaries: wordSet('hat haben habe hatte hatten habt hast hab'),
    perfectCopulas: wordSet('bin bist ist sind'),
    firstPersonAuxiliaries: wordSet(''),
    conditionalEndings: [],
    firstPersonEndings: [],
    quoteVerbs: phraseSet(''),
    displayVerbs: phraseSet('steht, steht da, steht hier, steht drauf, steht dort, heißt es'),
    speechParticiples: phraseSet(''),
    progressives: wordSet(''),
    wishes: phraseSet('möchte, möchten, würde, würden, lieber, ungern'),
    impersonals: wordSet('da es hier dort drauf'),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    nummer, telefonnummer, handynummer, rückrufnummer, mobilnummer, rufnummer, festnetznummer, telefon, handy,
    vorwahl, durchwahl`),
      email: phraseSet(`
    e-mail, email, mail, e-mail-adresse, e-mail adresse, mailadresse, mail-adresse, email-adresse, emailadresse,
    email adresse, mail adresse`),
      spelling: phraseSet('buchstabieren, buchstabiere, schreibt man, schreibweise'),
      birth_date: phraseSet('geburtsdatum, geburtstag, geboren, geboren am'),
      date: phraseSet('datum, welchen tag, welcher tag, welchem tag'),
      postcode: phraseSet('postleitzahl, plz'),
      reference: phraseSet(`
    kundennummer, auftragsnummer, bestellnummer, vertragsnummer, rechnungsnummer, buchungsnummer, buchungscode,
    referenznummer, referenz, aktenzeichen, versicherungsnummer, versichertennummer, kontonummer, iban,
    kartennummer, kreditkarte, kreditkartennummer, pin, code, zählernummer, zählerstand, kennzeichen, seriennummer,
    sendungsnummer, vorgangsnummer, ticketnummer, mitgliedsnummer, fahrgestellnummer, nummernschild, policennummer,
    steuernummer, matrikelnummer, tan, passwort`),
      address: phraseSet('adresse, anschrift, straße'),
    },
    copulas: wordSet('ist lautet die das wäre war sind endet beginnt also hat heißt'),
    leadIns: {
      phone: phraseSet(`
    erreichen sie mich unter, erreichbar unter, mich unter, bin unter, zurückrufen unter, rufen sie mich an unter,
    an unter der, unter der nummer, unter der`),
      email: phraseSet(`
    mail an, e-mail an, meine e-mail, meine mail, schicken sie es an, schicken sie das an`),
      spelling: phraseSet(`
    ich buchstabiere, buchstabiert, geschrieben, man schreibt das, das schreibt man, schreibt man, schreibt sich,
    ich buchstabiere mal`),
    },
    statements: wordSet(`
    nicht nein falsch richtig noch schon auf in dieselbe gleich die-gleiche gleiche anders kaputt voll gesperrt weg
    immer nie zu sehr besetzt auch neu alt geändert ungültig unbekannt hier da wo was ihnen bekannt leider gehackt
    tot leer defekt verloren gestohlen`),
    confirmations: wordSet('ist sind war waren stimmt haben hat passt'),
    months: wordSet(`
    januar jänner februar märz april mai juni juno juli august september oktober november dezember jan feb mär apr
    jun jul aug sep sept okt nov dez`),
    ordinals: wordSet(`
    ${compounds('ers zwei drit vier fünf sechs sieb siebt ach neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn', 'te ten ter')}
    ${compounds('zwanzigs dreißigs einundzwanzigs zweiundzwanzigs dreiundzwanzigs vierundzwanzigs fünfundzwanzigs sechsundzwanzigs siebenundzwanzigs achtundzwanzigs neunundzwanzigs einunddreißigs', 'te ten ter')}`),
    tens: wordSet(''),
    phoneDigits: { least: 10, most: 12, mostOther: 12 },
    postcodeDigits: 5,
    postcodeDigitsLeast: 4,
    postcodeLetters: 0,
  },
};
