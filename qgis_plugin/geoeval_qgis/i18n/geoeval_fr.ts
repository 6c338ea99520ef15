<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr_FR" sourcelanguage="en">
  <context>
    <name>geoeval</name>
    <message>
      <source>Evaluate</source>
      <translation>Évaluer</translation>
    </message>
    <message>
      <source>Many at once</source>
      <translation>Plusieurs à la fois</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>Outils</translation>
    </message>
    <message>
      <source>Set-up</source>
      <translation>Installation</translation>
    </message>
    <message>
      <source>Evaluate road network</source>
      <translation>Évaluer un réseau routier</translation>
    </message>
    <message>
      <source>Evaluate against an OSM extract</source>
      <translation>Évaluer par rapport à un extrait OSM</translation>
    </message>
    <message>
      <source>Evaluate objects</source>
      <translation>Évaluer des objets</translation>
    </message>
    <message>
      <source>Evaluate line drawings</source>
      <translation>Évaluer des dessins au trait</translation>
    </message>
    <message>
      <source>Compare several predictions</source>
      <translation>Comparer plusieurs prédictions</translation>
    </message>
    <message>
      <source>Batch evaluate a folder</source>
      <translation>Évaluer un dossier</translation>
    </message>
    <message>
      <source>Make a perturbed network</source>
      <translation>Créer un réseau perturbé</translation>
    </message>
    <message>
      <source>Export error layers as shapefiles</source>
      <translation>Exporter les couches d'erreurs en shapefiles</translation>
    </message>
    <message>
      <source>Set up the geoeval environment</source>
      <translation>Installer l'environnement geoeval</translation>
    </message>
    <message>
      <source>Remove the geoeval environment</source>
      <translation>Supprimer l'environnement geoeval</translation>
    </message>
    <message>
      <source>Try it with demo data</source>
      <translation>Essayer avec des données de démonstration</translation>
    </message>
    <message>
      <source>Evaluate roads...</source>
      <translation>Évaluer des routes...</translation>
    </message>
    <message>
      <source>Evaluate roads against OpenStreetMap...</source>
      <translation>Évaluer des routes par rapport à OpenStreetMap...</translation>
    </message>
    <message>
      <source>Evaluate buildings and other objects...</source>
      <translation>Évaluer des bâtiments et autres objets...</translation>
    </message>
    <message>
      <source>Evaluate drawings...</source>
      <translation>Évaluer des dessins...</translation>
    </message>
    <message>
      <source>Compare several predictions...</source>
      <translation>Comparer plusieurs prédictions...</translation>
    </message>
    <message>
      <source>Scores and review</source>
      <translation>Scores et vérification</translation>
    </message>
    <message>
      <source>Open a result file...</source>
      <translation>Ouvrir un fichier de résultats...</translation>
    </message>
    <message>
      <source>Try it with demo data...</source>
      <translation>Essayer avec des données de démonstration...</translation>
    </message>
    <message>
      <source>Set up geoeval...</source>
      <translation>Installer geoeval...</translation>
    </message>
    <message>
      <source>Help</source>
      <translation>Aide</translation>
    </message>
    <message>
      <source>About geoeval</source>
      <translation>À propos de geoeval</translation>
    </message>
    <message>
      <source>Set up</source>
      <translation>Installer</translation>
    </message>
    <message>
      <source>The engine is not set up yet. This is done once and takes some minutes.</source>
      <translation>Le moteur n'est pas encore installé. Cela se fait une seule fois et prend quelques minutes.</translation>
    </message>
    <message>
      <source>Compares a predicted map with a reference: scores in true metres and a map of every error.</source>
      <translation>Compare une carte prédite à une référence : des scores en vrais mètres et une carte de chaque erreur.</translation>
    </message>
    <message>
      <source>Engine</source>
      <translation>Moteur</translation>
    </message>
    <message>
      <source>Licence</source>
      <translation>Licence</translation>
    </message>
    <message>
      <source>not set up</source>
      <translation>non installé</translation>
    </message>
    <message>
      <source>Reference roads (taken as true)</source>
      <translation>Routes de référence (tenues pour vraies)</translation>
    </message>
    <message>
      <source>Predicted roads (to be scored)</source>
      <translation>Routes prédites (à évaluer)</translation>
    </message>
    <message>
      <source>Reference objects (taken as true)</source>
      <translation>Objets de référence (tenus pour vrais)</translation>
    </message>
    <message>
      <source>Predicted objects (to be scored)</source>
      <translation>Objets prédits (à évaluer)</translation>
    </message>
    <message>
      <source>CRS of the reference, if it has none</source>
      <translation>SCR de la référence, si elle n'en a pas</translation>
    </message>
    <message>
      <source>CRS of the prediction, if it has none</source>
      <translation>SCR de la prédiction, si elle n'en a pas</translation>
    </message>
    <message>
      <source>Area to evaluate (polygons)</source>
      <translation>Zone à évaluer (polygones)</translation>
    </message>
    <message>
      <source>What to look at</source>
      <translation>Ce que l'on regarde</translation>
    </message>
    <message>
      <source>Metrics</source>
      <translation>Métriques</translation>
    </message>
    <message>
      <source>Levels</source>
      <translation>Niveaux</translation>
    </message>
    <message>
      <source>Tolerance of CCQ (metres)</source>
      <translation>Tolérance de CCQ (mètres)</translation>
    </message>
    <message>
      <source>Tolerance of the other metrics (metres)</source>
      <translation>Tolérance des autres métriques (mètres)</translation>
    </message>
    <message>
      <source>Cell size of the score grid (metres)</source>
      <translation>Taille des cellules de la grille des scores (mètres)</translation>
    </message>
    <message>
      <source>How lines join</source>
      <translation>Comment les lignes se rejoignent</translation>
    </message>
    <message>
      <source>Remove a constant offset between the layers first</source>
      <translation>Supprimer d'abord un décalage constant entre les couches</translation>
    </message>
    <message>
      <source>Seed of the sampled metrics</source>
      <translation>Graine des métriques échantillonnées</translation>
    </message>
    <message>
      <source>Evaluate all of both layers, even if one covers more ground</source>
      <translation>Évaluer la totalité des deux couches, même si l'une couvre plus de terrain</translation>
    </message>
    <message>
      <source>CRS to measure in</source>
      <translation>SCR de mesure</translation>
    </message>
    <message>
      <source>Other parameters, one METRIC.PARAMETER=VALUE per line</source>
      <translation>Autres paramètres, un METRIQUE.PARAMETRE=VALEUR par ligne</translation>
    </message>
    <message>
      <source>Name of the group of layers</source>
      <translation>Nom du groupe de couches</translation>
    </message>
    <message>
      <source>Earlier run to compare with (result file)</source>
      <translation>Passage précédent à comparer (fichier de résultats)</translation>
    </message>
    <message>
      <source>Put the layers on the map</source>
      <translation>Mettre les couches sur la carte</translation>
    </message>
    <message>
      <source>Result file</source>
      <translation>Fichier de résultats</translation>
    </message>
    <message>
      <source>Report</source>
      <translation>Rapport</translation>
    </message>
    <message>
      <source>Scores as JSON</source>
      <translation>Scores en JSON</translation>
    </message>
    <message>
      <source>Minimum intersection over union of a match</source>
      <translation>Intersection sur union minimale d'une correspondance</translation>
    </message>
    <message>
      <source>OpenStreetMap file (empty: download)</source>
      <translation>Fichier OpenStreetMap (vide : télécharger)</translation>
    </message>
    <message>
      <source>Place to download, by name or as west,south,east,north</source>
      <translation>Lieu à télécharger, par nom ou ouest,sud,est,nord</translation>
    </message>
    <message>
      <source>Which ways are roads</source>
      <translation>Quels chemins sont des routes</translation>
    </message>
    <message>
      <source>Folder of predictions</source>
      <translation>Dossier des prédictions</translation>
    </message>
    <message>
      <source>Folder of wheels to install from (empty: download from the package index)</source>
      <translation>Dossier de paquets à installer (vide : télécharger)</translation>
    </message>
    <message>
      <source>Address of another package index</source>
      <translation>Adresse d'un autre index de paquets</translation>
    </message>
    <message>
      <source>Python interpreter (3.11 or later)</source>
      <translation>Interpréteur Python (3.11 ou plus récent)</translation>
    </message>
    <message>
      <source>Set it up again even if it is there</source>
      <translation>Réinstaller même s'il est déjà là</translation>
    </message>
    <message>
      <source>Download a Python if this machine has none that fits</source>
      <translation>Télécharger un Python si aucun ne convient</translation>
    </message>
    <message>
      <source>Canceled; nothing was written</source>
      <translation>Annulé ; rien n'a été écrit</translation>
    </message>
    <message>
      <source>No metric is chosen; choose at least one</source>
      <translation>Aucune métrique n'est choisie ; choisissez-en au moins une</translation>
    </message>
    <message>
      <source>Scores</source>
      <translation>Scores</translation>
    </message>
    <message>
      <source>Review</source>
      <translation>Vérification</translation>
    </message>
    <message>
      <source>File</source>
      <translation>Fichier</translation>
    </message>
    <message>
      <source>Error</source>
      <translation>Erreur</translation>
    </message>
    <message>
      <source>Not an error</source>
      <translation>Pas une erreur</translation>
    </message>
    <message>
      <source>Reference is wrong</source>
      <translation>La référence est fausse</translation>
    </message>
    <message>
      <source>Later</source>
      <translation>Plus tard</translation>
    </message>
    <message>
      <source>error</source>
      <translation>erreur</translation>
    </message>
    <message>
      <source>not an error</source>
      <translation>pas une erreur</translation>
    </message>
    <message>
      <source>reference is wrong</source>
      <translation>la référence est fausse</translation>
    </message>
    <message>
      <source>later</source>
      <translation>plus tard</translation>
    </message>
    <message>
      <source>still to judge</source>
      <translation>à juger</translation>
    </message>
    <message>
      <source>all</source>
      <translation>toutes</translation>
    </message>
    <message>
      <source>any</source>
      <translation>indifférent</translation>
    </message>
    <message>
      <source>Kinds</source>
      <translation>Types</translation>
    </message>
    <message>
      <source>Classes</source>
      <translation>Classes</translation>
    </message>
    <message>
      <source>Show</source>
      <translation>Afficher</translation>
    </message>
    <message>
      <source>Severity from</source>
      <translation>Gravité à partir de</translation>
    </message>
    <message>
      <source>Order</source>
      <translation>Ordre</translation>
    </message>
    <message>
      <source>largest gain first</source>
      <translation>plus grand gain d'abord</translation>
    </message>
    <message>
      <source>random, for a fair sample</source>
      <translation>au hasard, pour un échantillon équitable</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Type</translation>
    </message>
    <message>
      <source>Verdict</source>
      <translation>Verdict</translation>
    </message>
    <message>
      <source>Length</source>
      <translation>Longueur</translation>
    </message>
    <message>
      <source>Gain</source>
      <translation>Gain</translation>
    </message>
    <message>
      <source>Severity</source>
      <translation>Gravité</translation>
    </message>
    <message>
      <source>Class</source>
      <translation>Classe</translation>
    </message>
    <message>
      <source>Keys on the map</source>
      <translation>Touches sur la carte</translation>
    </message>
    <message>
      <source>While this is chosen, the keys work on the map as well; any other tool ends it.</source>
      <translation>Tant que ceci est choisi, les touches agissent aussi sur la carte ; tout autre outil y met fin.</translation>
    </message>
    <message>
      <source>Remark (M): kept with the verdict; Enter goes back to the list</source>
      <translation>Remarque (M) : gardée avec le verdict ; Entrée revient à la liste</translation>
    </message>
    <message>
      <source>No error fits the filter.</source>
      <translation>Aucune erreur ne correspond au filtre.</translation>
    </message>
    <message>
      <source>Save the result file as...</source>
      <translation>Enregistrer le fichier de résultats sous...</translation>
    </message>
    <message>
      <source>Confirmed errors as MapRoulette tasks...</source>
      <translation>Erreurs confirmées en tâches MapRoulette...</translation>
    </message>
    <message>
      <source>Confirmed errors for JOSM...</source>
      <translation>Erreurs confirmées pour JOSM...</translation>
    </message>
    <message>
      <source>Confirmed errors as shapefiles...</source>
      <translation>Erreurs confirmées en shapefiles...</translation>
    </message>
    <message>
      <source>Confirmed errors as a table...</source>
      <translation>Erreurs confirmées en tableau...</translation>
    </message>
    <message>
      <source>Save the verdicts...</source>
      <translation>Enregistrer les verdicts...</translation>
    </message>
    <message>
      <source>Read verdicts...</source>
      <translation>Lire des verdicts...</translation>
    </message>
    <message>
      <source>Missing roads</source>
      <translation>Routes manquantes</translation>
    </message>
    <message>
      <source>Spurious roads</source>
      <translation>Routes en trop</translation>
    </message>
    <message>
      <source>Breaks</source>
      <translation>Coupures</translation>
    </message>
    <message>
      <source>False links</source>
      <translation>Fausses liaisons</translation>
    </message>
    <message>
      <source>Wrong junctions</source>
      <translation>Carrefours erronés</translation>
    </message>
    <message>
      <source>... or a folder of references with the same names</source>
      <translation>... ou un dossier de références de mêmes noms</translation>
    </message>
    <message>
      <source>... or reference drawing (layer of the project)</source>
      <translation>... ou dessin de référence (couche du projet)</translation>
    </message>
    <message>
      <source>... or reference roads (taken as true)</source>
      <translation>... ou routes de référence (tenues pour vraies)</translation>
    </message>
    <message>
      <source>... or vectorised drawing (layer of the project)</source>
      <translation>... ou dessin vectorisé (couche du projet)</translation>
    </message>
    <message>
      <source>A comparison needs at least two predictions; choose more layers</source>
      <translation>Une comparaison demande au moins deux prédictions ; choisissez plus de couches</translation>
    </message>
    <message>
      <source>A drawing: DXF, SVG, a table of lines, or a map layer in a file.</source>
      <translation>Un dessin : DXF, SVG, un tableau de lignes ou une couche dans un fichier.</translation>
    </message>
    <message>
      <source>A file of OpenStreetMap that is taken as true. Empty: the roads are downloaded.</source>
      <translation>Un fichier OpenStreetMap tenu pour vrai. Vide : les routes sont téléchargées.</translation>
    </message>
    <message>
      <source>A folder filled on another machine, for a machine without internet. The help says how.</source>
      <translation>Un dossier rempli sur une autre machine, pour une machine sans internet. L’aide dit comment.</translation>
    </message>
    <message>
      <source>A line layer of the project that is taken as true; columns width and style are read.</source>
      <translation>Une couche de lignes du projet tenue pour vraie ; les colonnes width et style sont lues.</translation>
    </message>
    <message>
      <source>A line layer of the project to be scored; columns width and style are read.</source>
      <translation>Une couche de lignes du projet à évaluer ; les colonnes width et style sont lues.</translation>
    </message>
    <message>
      <source>A page with map, tables and plots that opens in any browser, without internet.</source>
      <translation>Une page avec carte, tableaux et graphiques, lisible dans tout navigateur, sans internet.</translation>
    </message>
    <message>
      <source>All files (*)</source>
      <translation>Tous les fichiers (*)</translation>
    </message>
    <message>
      <source>All scores and how they came about, for other programs.</source>
      <translation>Tous les scores et leur origine, pour d’autres programmes.</translation>
    </message>
    <message>
      <source>Best prediction</source>
      <translation>Meilleure prédiction</translation>
    </message>
    <message>
      <source>Both drawings are the same, so the scores say nothing; choose two</source>
      <translation>Les deux dessins sont le même, donc les scores ne disent rien ; choisissez-en deux</translation>
    </message>
    <message>
      <source>CRS of predictions that have none</source>
      <translation>SCR des prédictions qui n’en ont pas</translation>
    </message>
    <message>
      <source>CRS of references that have none</source>
      <translation>SCR des références qui n’en ont pas</translation>
    </message>
    <message>
      <source>Canceled; nothing was installed</source>
      <translation>Annulé ; rien n’a été installé</translation>
    </message>
    <message>
      <source>Drawings (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;All files (*)</source>
      <translation>Dessins (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;Tous les fichiers (*)</translation>
    </message>
    <message>
      <source>Each prediction is compared with the file in this folder that has the same name.</source>
      <translation>Chaque prédiction est comparée au fichier de même nom dans ce dossier.</translation>
    </message>
    <message>
      <source>Evaluate even the ground that only one of the maps covers; it then counts as missing or spurious.</source>
      <translation>Évaluer aussi le terrain qu’une seule carte couvre ; il compte alors comme manquant ou en trop.</translation>
    </message>
    <message>
      <source>Evaluate two layers; their scores come here.</source>
      <translation>Évaluez deux couches ; leurs scores s’affichent ici.</translation>
    </message>
    <message>
      <source>Evaluates every road network in a folder and gives one layer with all scores.</source>
      <translation>Évalue chaque réseau routier d’un dossier et donne une couche avec tous les scores.</translation>
    </message>
    <message>
      <source>Evaluates several road networks against one reference and ranks them, with a Hasse diagram.</source>
      <translation>Évalue plusieurs réseaux routiers par rapport à une référence et les classe, avec un diagramme de Hasse.</translation>
    </message>
    <message>
      <source>Evaluates the roads of central Helsinki against a copy with known errors.</source>
      <translation>Évalue les routes du centre d’Helsinki par rapport à une copie aux erreurs connues.</translation>
    </message>
    <message>
      <source>Every road network in this folder is scored; subfolders are left out.</source>
      <translation>Chaque réseau routier de ce dossier est évalué ; les sous-dossiers ne le sont pas.</translation>
    </message>
    <message>
      <source>Files evaluated</source>
      <translation>Fichiers évalués</translation>
    </message>
    <message>
      <source>Files that could not be evaluated</source>
      <translation>Fichiers qui n’ont pas pu être évalués</translation>
    </message>
    <message>
      <source>Files to evaluate (* and ? match any name)</source>
      <translation>Fichiers à évaluer (* et ? remplacent tout nom)</translation>
    </message>
    <message>
      <source>Folder for the demo</source>
      <translation>Dossier de la démonstration</translation>
    </message>
    <message>
      <source>Folder for the details</source>
      <translation>Dossier des détails</translation>
    </message>
    <message>
      <source>Folder for the layers</source>
      <translation>Dossier des couches</translation>
    </message>
    <message>
      <source>Format</source>
      <translation>Format</translation>
    </message>
    <message>
      <source>Further parameters of single metrics, one per line, such as opt-j.alpha=45.</source>
      <translation>Autres paramètres de certaines mesures, un par ligne, par exemple opt-j.alpha=45.</translation>
    </message>
    <message>
      <source>Give a result file, or a reference and a prediction</source>
      <translation>Donnez un fichier de résultats, ou une référence et une prédiction</translation>
    </message>
    <message>
      <source>Give either a reference layer or a folder of references</source>
      <translation>Donnez soit une couche de référence, soit un dossier de références</translation>
    </message>
    <message>
      <source>Give either an OpenStreetMap file or a place to download, not both</source>
      <translation>Donnez soit un fichier OpenStreetMap, soit un lieu à télécharger, pas les deux</translation>
    </message>
    <message>
      <source>HTML files (*.html)</source>
      <translation>Fichiers HTML (*.html)</translation>
    </message>
    <message>
      <source>Hasse diagram</source>
      <translation>Diagramme de Hasse</translation>
    </message>
    <message>
      <source>Highway classes such as primary,secondary, or tags such as railway=tram, in place of the choice above.</source>
      <translation>Classes de routes telles que primary,secondary ou attributs tels que railway=tram, à la place du choix ci-dessus.</translation>
    </message>
    <message>
      <source>Highway classes to use instead, or tags such as railway=tram</source>
      <translation>Classes de routes à utiliser à la place, ou attributs tels que railway=tram</translation>
    </message>
    <message>
      <source>How far, in metres on the ground, a road may lie from its counterpart to count as found by CCQ.</source>
      <translation>Distance maximale, en mètres au sol, entre une route et son homologue pour que CCQ la tienne pour trouvée.</translation>
    </message>
    <message>
      <source>How far, in metres on the ground, junctions and paths may lie apart to be compared.</source>
      <translation>Distance maximale, en mètres au sol, entre carrefours et chemins qui sont comparés.</translation>
    </message>
    <message>
      <source>How long the detection took; gives the time per pixel and per line.</source>
      <translation>Durée de la détection ; donne le temps par pixel et par ligne.</translation>
    </message>
    <message>
      <source>How many errors the copy gets.</source>
      <translation>Nombre d’erreurs mises dans la copie.</translation>
    </message>
    <message>
      <source>How often an error is one</source>
      <translation>Combien d’erreurs en sont vraiment</translation>
    </message>
    <message>
      <source>If one map is shifted as a whole, as by a wrong georeference, the shift is measured and removed first.</source>
      <translation>Si une carte est décalée en bloc, par exemple mal géoréférencée, le décalage est d’abord mesuré et corrigé.</translation>
    </message>
    <message>
      <source>If this machine has no fitting Python, download one for geoeval alone.</source>
      <translation>Si cette machine n’a pas de Python adapté, en télécharger un pour geoeval seul.</translation>
    </message>
    <message>
      <source>Installs the engine in an environment of its own. Run it once.</source>
      <translation>Installe le moteur dans un environnement à part. À exécuter une fois.</translation>
    </message>
    <message>
      <source>Interpreter</source>
      <translation>Interpréteur</translation>
    </message>
    <message>
      <source>JSON files (*.json)</source>
      <translation>Fichiers JSON (*.json)</translation>
    </message>
    <message>
      <source>Judged in an earlier run: {verdict}</source>
      <translation>Jugée lors d’une exécution antérieure : {verdict}</translation>
    </message>
    <message>
      <source>Kind of error</source>
      <translation>Type d’erreur</translation>
    </message>
    <message>
      <source>Makes a copy of a road network with a known number of errors of one kind.</source>
      <translation>Fait une copie d’un réseau routier avec un nombre connu d’erreurs d’un type.</translation>
    </message>
    <message>
      <source>Measure the scores as judged (about {time})</source>
      <translation>Mesurer les scores après jugement (environ {time})</translation>
    </message>
    <message>
      <source>Measuring the scores as judged...</source>
      <translation>Mesure des scores après jugement...</translation>
    </message>
    <message>
      <source>Megabytes that are free again</source>
      <translation>Mégaoctets de nouveau libres</translation>
    </message>
    <message>
      <source>Number of errors</source>
      <translation>Nombre d’erreurs</translation>
    </message>
    <message>
      <source>Number of layers</source>
      <translation>Nombre de couches</translation>
    </message>
    <message>
      <source>One GeoPackage with every error, the scores, the grid and the order of edits, all styled. The review panel keeps your verdicts in it. A temporary file is gone when QGIS closes.</source>
      <translation>Un GeoPackage avec chaque erreur, les scores, la grille et l’ordre des corrections, avec leurs styles. La vérification y garde vos jugements. Un fichier temporaire disparaît à la fermeture de QGIS.</translation>
    </message>
    <message>
      <source>Only what lies inside these polygons is evaluated. Empty: the ground that both maps cover.</source>
      <translation>Seul ce qui se trouve dans ces polygones est évalué. Vide : le terrain que les deux cartes couvrent.</translation>
    </message>
    <message>
      <source>Open a result file</source>
      <translation>Ouvrir un fichier de résultats</translation>
    </message>
    <message>
      <source>Open the report</source>
      <translation>Ouvrir le rapport</translation>
    </message>
    <message>
      <source>OpenStreetMap files (*.osm *.pbf *.osm.gz *.osm.bz2);;All files (*)</source>
      <translation>Fichiers OpenStreetMap (*.osm *.pbf *.osm.gz *.osm.bz2);;Tous les fichiers (*)</translation>
    </message>
    <message>
      <source>Original image (its pixels are the reference)</source>
      <translation>Image originale (ses pixels sont la référence)</translation>
    </message>
    <message>
      <source>Other parameters, one LEVEL.PARAMETER=VALUE per line</source>
      <translation>Autres paramètres, un LEVEL.PARAMETER=VALEUR par ligne</translation>
    </message>
    <message>
      <source>Perturbed network</source>
      <translation>Réseau perturbé</translation>
    </message>
    <message>
      <source>Pictures (*.svg *.png *.pdf)</source>
      <translation>Images (*.svg *.png *.pdf)</translation>
    </message>
    <message>
      <source>Predicted roads (two or more layers)</source>
      <translation>Routes prédites (deux couches ou plus)</translation>
    </message>
    <message>
      <source>Prediction as compared: {}</source>
      <translation>Prédiction telle que comparée : {}</translation>
    </message>
    <message>
      <source>Put the layers of the result on the map.</source>
      <translation>Mettre les couches du résultat sur la carte.</translation>
    </message>
    <message>
      <source>Python interpreter with geoeval (empty: the environment set up by this plugin)</source>
      <translation>Interpréteur Python avec geoeval (vide : l’environnement installé par cette extension)</translation>
    </message>
    <message>
      <source>Ranking</source>
      <translation>Classement</translation>
    </message>
    <message>
      <source>Ranking as JSON</source>
      <translation>Classement en JSON</translation>
    </message>
    <message>
      <source>Ranking as a page</source>
      <translation>Classement en page</translation>
    </message>
    <message>
      <source>Read verdicts</source>
      <translation>Lire des jugements</translation>
    </message>
    <message>
      <source>Reference as compared: {}</source>
      <translation>Référence telle que comparée : {}</translation>
    </message>
    <message>
      <source>Reference drawing (file)</source>
      <translation>Dessin de référence (fichier)</translation>
    </message>
    <message>
      <source>Reference roads for all files</source>
      <translation>Routes de référence pour tous les fichiers</translation>
    </message>
    <message>
      <source>Remove the environment and make it anew, to repair it.</source>
      <translation>Supprimer l’environnement et le refaire, pour le réparer.</translation>
    </message>
    <message>
      <source>Removes the engine and gives back the room it takes.</source>
      <translation>Supprime le moteur et rend la place qu’il occupe.</translation>
    </message>
    <message>
      <source>Result file of a run</source>
      <translation>Fichier de résultats d’une exécution</translation>
    </message>
    <message>
      <source>Review the errors</source>
      <translation>Passer les erreurs en revue</translation>
    </message>
    <message>
      <source>Road network</source>
      <translation>Réseau routier</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>Enregistrer</translation>
    </message>
    <message>
      <source>Score grid</source>
      <translation>Grille des scores</translation>
    </message>
    <message>
      <source>Scores a predicted road network against a reference and maps every error.</source>
      <translation>Évalue un réseau routier prédit par rapport à une référence et montre chaque erreur sur la carte.</translation>
    </message>
    <message>
      <source>Scores a predicted road network against an OpenStreetMap file, or against what is downloaded.</source>
      <translation>Évalue un réseau routier prédit par rapport à un fichier OpenStreetMap ou à un téléchargement.</translation>
    </message>
    <message>
      <source>Scores a vectorised drawing against a reference and maps every error.</source>
      <translation>Évalue un dessin vectorisé par rapport à une référence et montre chaque erreur sur la carte.</translation>
    </message>
    <message>
      <source>Scores of every file</source>
      <translation>Scores de chaque fichier</translation>
    </message>
    <message>
      <source>Scores of the drawing</source>
      <translation>Scores du dessin</translation>
    </message>
    <message>
      <source>Scores of the evaluated area</source>
      <translation>Scores de la zone évaluée</translation>
    </message>
    <message>
      <source>Scores predicted objects, such as buildings, against a reference and maps every error.</source>
      <translation>Évalue des objets prédits, par exemple des bâtiments, par rapport à une référence et montre chaque erreur sur la carte.</translation>
    </message>
    <message>
      <source>Seconds the detection took</source>
      <translation>Secondes prises par la détection</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Graine</translation>
    </message>
    <message>
      <source>Side of a cell of the score grid in metres. Empty: about twenty cells across the data.</source>
      <translation>Côté d’une cellule de la grille en mètres. Vide : environ vingt cellules d’un bord à l’autre des données.</translation>
    </message>
    <message>
      <source>Some metrics take a sample; the same seed gives the same sample.</source>
      <translation>Certaines mesures prennent un échantillon ; la même graine donne le même échantillon.</translation>
    </message>
    <message>
      <source>The Hasse diagram as a picture.</source>
      <translation>Le diagramme de Hasse en image.</translation>
    </message>
    <message>
      <source>The Python from which the environment is made. Empty: a fitting one is searched for.</source>
      <translation>Le Python dont l’environnement est fait. Vide : un Python adapté est cherché.</translation>
    </message>
    <message>
      <source>The address of a package index in your own network.</source>
      <translation>L’adresse d’un dépôt de paquets de votre propre réseau.</translation>
    </message>
    <message>
      <source>The copy with the errors.</source>
      <translation>La copie avec les erreurs.</translation>
    </message>
    <message>
      <source>The environment cannot be written: {why}</source>
      <translation>L’environnement ne peut pas être écrit : {why}</translation>
    </message>
    <message>
      <source>The error layers and scores of every file are written here too.</source>
      <translation>Les couches d’erreurs et les scores de chaque fichier sont aussi écrits ici.</translation>
    </message>
    <message>
      <source>The evaluated area as a polygon with every score as an attribute.</source>
      <translation>La zone évaluée, un polygone avec chaque score en attribut.</translation>
    </message>
    <message>
      <source>The layers of reference and prediction of this run are not on the map</source>
      <translation>Les couches de référence et de prédiction de cette exécution ne sont pas sur la carte</translation>
    </message>
    <message>
      <source>The map that is taken as true. Any CRS; selections, filters and unsaved edits count as you see them.</source>
      <translation>La carte tenue pour vraie. Tout SCR ; sélections, filtres et modifications non enregistrées comptent comme affichés.</translation>
    </message>
    <message>
      <source>The map to be scored. It may have another CRS than the reference.</source>
      <translation>La carte à évaluer. Elle peut avoir un autre SCR que la référence.</translation>
    </message>
    <message>
      <source>The perturbed network cannot be opened</source>
      <translation>Le réseau perturbé ne peut pas être ouvert</translation>
    </message>
    <message>
      <source>The picture that was vectorised; its dark pixels are then the true ones.</source>
      <translation>L’image qui a été vectorisée ; ses pixels sombres sont alors les vrais.</translation>
    </message>
    <message>
      <source>The projected CRS in metres in which lengths are measured. Empty: one that is right here within 0.1 %.</source>
      <translation>Le SCR projeté en mètres dans lequel les longueurs sont mesurées. Vide : un SCR juste ici à 0,1 % près.</translation>
    </message>
    <message>
      <source>The result file of an earlier run. Its scores stand beside the new ones, and its verdicts are kept.</source>
      <translation>Le fichier de résultats d’une exécution antérieure. Ses scores figurent à côté des nouveaux, et ses jugements sont gardés.</translation>
    </message>
    <message>
      <source>The result file that an evaluation wrote. Nothing is computed again.</source>
      <translation>Le fichier de résultats écrit par une évaluation. Rien n’est recalculé.</translation>
    </message>
    <message>
      <source>The same scores for each cell of a grid: where the map is good and where it is bad.</source>
      <translation>Les mêmes scores pour chaque cellule d’une grille : où la carte est bonne, où elle est mauvaise.</translation>
    </message>
    <message>
      <source>The width of lines that do not state one, in the unit of the drawing.</source>
      <translation>La largeur des lignes qui n’en donnent pas, dans l’unité du dessin.</translation>
    </message>
    <message>
      <source>There is no run to save; evaluate two layers first</source>
      <translation>Il n’y a rien à enregistrer ; évaluez d’abord deux couches</translation>
    </message>
    <message>
      <source>There was no environment</source>
      <translation>Il n’y avait pas d’environnement</translation>
    </message>
    <message>
      <source>Two objects match if their intersection is at least this share of their union.</source>
      <translation>Deux objets se correspondent si leur intersection est au moins cette part de leur union.</translation>
    </message>
    <message>
      <source>Used if the prediction does not say its own CRS.</source>
      <translation>Utilisé si la prédiction n’indique pas son SCR.</translation>
    </message>
    <message>
      <source>Used if the reference does not say its own CRS.</source>
      <translation>Utilisé si la référence n’indique pas son SCR.</translation>
    </message>
    <message>
      <source>Vectorised drawing (file)</source>
      <translation>Dessin vectorisé (fichier)</translation>
    </message>
    <message>
      <source>Version of geoeval</source>
      <translation>Version de geoeval</translation>
    </message>
    <message>
      <source>What the group of layers is called. Empty: the time and the names of both layers.</source>
      <translation>Nom du groupe de couches. Vide : l’heure et les noms des deux couches.</translation>
    </message>
    <message>
      <source>What to download as the reference. Empty: the ground of the prediction.</source>
      <translation>Ce qui est téléchargé comme référence. Vide : le terrain de la prédiction.</translation>
    </message>
    <message>
      <source>What to mend first</source>
      <translation>À corriger d’abord</translation>
    </message>
    <message>
      <source>Where the result is written.</source>
      <translation>Où le résultat est écrit.</translation>
    </message>
    <message>
      <source>Whether anything was installed</source>
      <translation>Si quelque chose a été installé</translation>
    </message>
    <message>
      <source>Which files of the folder are evaluated: * stands for any text, ? for any letter.</source>
      <translation>Les fichiers du dossier à évaluer : * remplace tout texte, ? toute lettre.</translation>
    </message>
    <message>
      <source>Which kind of error the copy gets.</source>
      <translation>Le type d’erreur mis dans la copie.</translation>
    </message>
    <message>
      <source>Which kinds of errors are put on the map. All are in the result file, and the scores stay the same.</source>
      <translation>Les types d’erreurs mis sur la carte. Tous sont dans le fichier de résultats, et les scores restent les mêmes.</translation>
    </message>
    <message>
      <source>Which scores are computed. All that are ticked at first take a few seconds for a town.</source>
      <translation>Les scores calculés. Ceux qui sont cochés au départ prennent quelques secondes pour une ville.</translation>
    </message>
    <message>
      <source>Which ways of OpenStreetMap are taken for roads: by traffic, or another network such as rail.</source>
      <translation>Les voies d’OpenStreetMap tenues pour des routes : selon le trafic, ou un autre réseau tel que le rail.</translation>
    </message>
    <message>
      <source>Which ways of OpenStreetMap files are roads</source>
      <translation>Voies des fichiers OpenStreetMap qui sont des routes</translation>
    </message>
    <message>
      <source>Width of lines without one</source>
      <translation>Largeur des lignes qui n’en ont pas</translation>
    </message>
    <message>
      <source>Worst cells</source>
      <translation>Pires cellules</translation>
    </message>
    <message>
      <source>Writes the errors of a run to a folder, one styled shapefile for each kind.</source>
      <translation>Écrit les erreurs d’une exécution dans un dossier, un shapefile avec son style par type.</translation>
    </message>
    <message>
      <source>Written: {file}</source>
      <translation>Écrit : {file}</translation>
    </message>
    <message>
      <source>and predicted roads (to be scored)</source>
      <translation>et routes prédites (à évaluer)</translation>
    </message>
    <message>
      <source>as given</source>
      <translation>tel quel</translation>
    </message>
    <message>
      <source>as judged</source>
      <translation>après jugement</translation>
    </message>
    <message>
      <source>before</source>
      <translation>avant</translation>
    </message>
    <message>
      <source>ends: an end that lies on another line is joined to it. crossings: lines are joined wherever they cross. none: only equal vertices are joined.</source>
      <translation>ends : une extrémité posée sur une autre ligne lui est jointe. crossings : les lignes sont jointes partout où elles se croisent. none : seuls les sommets identiques sont joints.</translation>
    </message>
    <message>
      <source>geoeval {version} is already set up in {place}; nothing was done</source>
      <translation>geoeval {version} est déjà installé dans {place} ; rien n’a été fait</translation>
    </message>
    <message>
      <source>geoeval {version} is set up in {place}</source>
      <translation>geoeval {version} est installé dans {place}</translation>
    </message>
    <message>
      <source>kind</source>
      <translation>type</translation>
    </message>
    <message>
      <source>now</source>
      <translation>maintenant</translation>
    </message>
    <message>
      <source>score</source>
      <translation>score</translation>
    </message>
    <message>
      <source>shp: one shapefile for each kind, with its style. gpkg: one file with the styles inside.</source>
      <translation>shp : un shapefile par type, avec son style. gpkg : un fichier avec les styles dedans.</translation>
    </message>
    <message>
      <source>undefined</source>
      <translation>non défini</translation>
    </message>
    <message>
      <source>what it says</source>
      <translation>ce qu’il dit</translation>
    </message>
    <message>
      <source>Errors of the reference: {count}</source>
      <translation>Erreurs de la référence : {count}</translation>
    </message>
    <message>
      <source>{judged} of {all}</source>
      <translation>{judged} sur {all}</translation>
    </message>
    <message>
      <source>{low} to {high} %</source>
      <translation>{low} à {high} %</translation>
    </message>
    <message>
      <source>{python} (from {where}) is still used and not this environment; remove that entry</source>
      <translation>{python} (de {where}) est toujours utilisé et non cet environnement ; supprimez cette entrée</translation>
    </message>
    <message>
      <source>{verdict} (earlier)</source>
      <translation>{verdict} (avant)</translation>
    </message>
    <message>
      <source>judged</source>
      <translation>jugées</translation>
    </message>
    <message>
      <source>true</source>
      <translation>vraies</translation>
    </message>
    <message>
      <source>95 % interval</source>
      <translation>intervalle à 95 %</translation>
    </message>
    <message>
      <source>{judged} of {all} judged, {left} left</source>
      <translation>{judged} sur {all} jugées, {left} restantes</translation>
    </message>
    <message>
      <source>{judged} of {all} judged, {left} left, about {time}</source>
      <translation>{judged} sur {all} jugées, {left} restantes, environ {time}</translation>
    </message>
    <message>
      <source>Reference</source>
      <translation>Référence</translation>
    </message>
    <message>
      <source>Prediction</source>
      <translation>Prédiction</translation>
    </message>
    <message>
      <source>Break</source>
      <translation>Coupure</translation>
    </message>
    <message>
      <source>False link</source>
      <translation>Fausse liaison</translation>
    </message>
    <message>
      <source>Junction</source>
      <translation>Carrefour</translation>
    </message>
    <message>
      <source>Junctions</source>
      <translation>Carrefours</translation>
    </message>
    <message>
      <source>Missing</source>
      <translation>Manquant</translation>
    </message>
    <message>
      <source>Spurious</source>
      <translation>En trop</translation>
    </message>
    <message>
      <source>Doubled</source>
      <translation>Répété</translation>
    </message>
    <message>
      <source>Merged</source>
      <translation>Fondu</translation>
    </message>
    <message>
      <source>Drawn double</source>
      <translation>Dessiné en double</translation>
    </message>
    <message>
      <source>Drawn single</source>
      <translation>Dessiné en simple</translation>
    </message>
    <message>
      <source>Displaced</source>
      <translation>Déplacé</translation>
    </message>
    <message>
      <source>Duplicate</source>
      <translation>Doublon</translation>
    </message>
    <message>
      <source>Duplicates</source>
      <translation>Doublons</translation>
    </message>
    <message>
      <source>Culprit</source>
      <translation>Responsable</translation>
    </message>
    <message>
      <source>Culprits</source>
      <translation>Responsables</translation>
    </message>
    <message>
      <source>Wrong path</source>
      <translation>Chemin erroné</translation>
    </message>
    <message>
      <source>Paths</source>
      <translation>Chemins</translation>
    </message>
    <message>
      <source>Missed</source>
      <translation>Manqué</translation>
    </message>
    <message>
      <source>False alarm</source>
      <translation>Fausse alerte</translation>
    </message>
    <message>
      <source>Split</source>
      <translation>Divisé</translation>
    </message>
    <message>
      <source>Merge</source>
      <translation>Fusionné</translation>
    </message>
    <message>
      <source>Boundary</source>
      <translation>Contour</translation>
    </message>
    <message>
      <source>Boundaries</source>
      <translation>Contours</translation>
    </message>
    <message>
      <source>Fragmented</source>
      <translation>Fragmenté</translation>
    </message>
    <message>
      <source>Consolidated</source>
      <translation>Regroupé</translation>
    </message>
    <message>
      <source>Incomplete</source>
      <translation>Incomplet</translation>
    </message>
    <message>
      <source>Too long</source>
      <translation>Trop long</translation>
    </message>
    <message>
      <source>Wrong width</source>
      <translation>Mauvaise largeur</translation>
    </message>
    <message>
      <source>Wrong style</source>
      <translation>Mauvais style</translation>
    </message>
    <message>
      <source>Wrong shape</source>
      <translation>Mauvaise forme</translation>
    </message>
    <message>
      <source>Matched</source>
      <translation>Trouvé</translation>
    </message>
    <message>
      <source>Link</source>
      <translation>Lien</translation>
    </message>
    <message>
      <source>Links</source>
      <translation>Liens</translation>
    </message>
    <message>
      <source>Breaks without length</source>
      <translation>Coupures sans longueur</translation>
    </message>
    <message>
      <source>False links without length</source>
      <translation>Fausses liaisons sans longueur</translation>
    </message>
    <message>
      <source>Missing junctions and ends</source>
      <translation>Carrefours et extrémités manquants</translation>
    </message>
    <message>
      <source>Spurious junctions and ends</source>
      <translation>Carrefours et extrémités en trop</translation>
    </message>
    <message>
      <source>Doubled roads</source>
      <translation>Routes répétées</translation>
    </message>
    <message>
      <source>Merged roads</source>
      <translation>Routes fondues</translation>
    </message>
    <message>
      <source>Roads drawn double</source>
      <translation>Routes dessinées en double</translation>
    </message>
    <message>
      <source>Roads drawn single</source>
      <translation>Routes dessinées en simple</translation>
    </message>
    <message>
      <source>Displaced roads</source>
      <translation>Routes déplacées</translation>
    </message>
    <message>
      <source>Displaced junctions</source>
      <translation>Carrefours déplacés</translation>
    </message>
    <message>
      <source>Displaced lines</source>
      <translation>Lignes déplacées</translation>
    </message>
    <message>
      <source>Displaced sides of objects</source>
      <translation>Côtés d’objets déplacés</translation>
    </message>
    <message>
      <source>Duplicate segments of the input</source>
      <translation>Segments en double de l’entrée</translation>
    </message>
    <message>
      <source>Roads behind many wrong paths</source>
      <translation>Routes à l’origine de nombreux chemins erronés</translation>
    </message>
    <message>
      <source>Wrong paths</source>
      <translation>Chemins erronés</translation>
    </message>
    <message>
      <source>Missed objects</source>
      <translation>Objets manqués</translation>
    </message>
    <message>
      <source>Missed lines</source>
      <translation>Lignes manquées</translation>
    </message>
    <message>
      <source>False alarms</source>
      <translation>Fausses alertes</translation>
    </message>
    <message>
      <source>Split objects</source>
      <translation>Objets divisés</translation>
    </message>
    <message>
      <source>Merged objects</source>
      <translation>Objets fusionnés</translation>
    </message>
    <message>
      <source>Objects whose outline lies elsewhere</source>
      <translation>Objets dont le contour est ailleurs</translation>
    </message>
    <message>
      <source>Fragmented lines</source>
      <translation>Lignes fragmentées</translation>
    </message>
    <message>
      <source>Consolidated lines</source>
      <translation>Lignes regroupées</translation>
    </message>
    <message>
      <source>Incomplete lines</source>
      <translation>Lignes incomplètes</translation>
    </message>
    <message>
      <source>Lines that are too long</source>
      <translation>Lignes trop longues</translation>
    </message>
    <message>
      <source>Lines of the wrong width</source>
      <translation>Lignes de mauvaise largeur</translation>
    </message>
    <message>
      <source>Lines of the wrong style</source>
      <translation>Lignes de mauvais style</translation>
    </message>
    <message>
      <source>Lines of the wrong shape</source>
      <translation>Lignes de mauvaise forme</translation>
    </message>
    <message>
      <source>Objects found as they should be</source>
      <translation>Objets trouvés comme il se doit</translation>
    </message>
    <message>
      <source>Lines found as they should be</source>
      <translation>Lignes trouvées comme il se doit</translation>
    </message>
    <message>
      <source>Links between objects that match</source>
      <translation>Liens entre objets qui se correspondent</translation>
    </message>
    <message>
      <source>Share of the road length within a tolerance of the other network.</source>
      <translation>Part de la longueur des routes à moins d’une tolérance de l’autre réseau.</translation>
    </message>
    <message>
      <source>Share of shortest paths whose length the prediction keeps within a tolerance.</source>
      <translation>Part des plus courts chemins dont la prédiction garde la longueur à une tolérance près.</translation>
    </message>
    <message>
      <source>How well the lengths of shortest paths agree, in both directions.</source>
      <translation>À quel point les longueurs des plus courts chemins s’accordent, dans les deux sens.</translation>
    </message>
    <message>
      <source>Do junctions match, and the directions of their roads.</source>
      <translation>Si les carrefours correspondent, et les directions de leurs routes.</translation>
    </message>
    <message>
      <source>Do the surroundings that can be reached from a place agree.</source>
      <translation>Si les environs accessibles depuis un endroit s’accordent.</translation>
    </message>
    <message>
      <source>Can whole paths be followed in the other network, each road used once.</source>
      <translation>Si des chemins entiers se suivent dans l’autre réseau, chaque route une seule fois.</translation>
    </message>
    <message>
      <source>Do junctions and dead ends match, with their numbers of arms.</source>
      <translation>Si carrefours et impasses correspondent, avec leur nombre de branches.</translation>
    </message>
    <message>
      <source>Do the surroundings that can be reached from a place agree, each place used once.</source>
      <translation>Si les environs accessibles depuis un endroit s’accordent, chaque endroit une seule fois.</translation>
    </message>
    <message>
      <source>Precision, recall and overlap of the rasterised networks.</source>
      <translation>Précision, rappel et recouvrement des réseaux convertis en pixels.</translation>
    </message>
    <message>
      <source>Chamfer and Hausdorff distance in metres.</source>
      <translation>Distances de Chamfer et de Hausdorff en mètres.</translation>
    </message>
    <message>
      <source>Overlap of the best one-to-one matching, as a share of all covered ground.</source>
      <translation>Recouvrement du meilleur appariement un à un, en part de tout le terrain couvert.</translation>
    </message>
    <message>
      <source>How well objects overlap that are found as they are, in pieces, or several as one.</source>
      <translation>À quel point se recouvrent les objets trouvés tels quels, en morceaux, ou plusieurs en un.</translation>
    </message>
    <message>
      <source>Objects in any match, one to one or several to one, and how well their shapes agree.</source>
      <translation>Objets appariés, un à un ou plusieurs à un, et à quel point leurs formes s’accordent.</translation>
    </message>
    <message>
      <source>Objects found one to one with at least a given intersection over union.</source>
      <translation>Objets trouvés un à un avec au moins une intersection sur union donnée.</translation>
    </message>
    <message>
      <source>COCO's average precision and recall, on polygons in metres.</source>
      <translation>Précision et rappel moyens de COCO, sur des polygones en mètres.</translation>
    </message>
    <message>
      <source>COCO's average precision and recall with boundary IoU, on polygons in metres.</source>
      <translation>Précision et rappel moyens de COCO avec l’IoU des contours, sur des polygones en mètres.</translation>
    </message>
    <message>
      <source>Mean distance between the corners of matched objects and the other outline.</source>
      <translation>Distance moyenne entre les sommets des objets appariés et l’autre contour.</translation>
    </message>
    <message>
      <source>Common ground as a share of all covered ground, times the likeness of the numbers of corners.</source>
      <translation>Terrain commun en part du terrain couvert, fois la ressemblance des nombres de sommets.</translation>
    </message>
    <message>
      <source>Corners of the outlines that are drawn, within a distance.</source>
      <translation>Sommets des contours qui sont dessinés, à une distance près.</translation>
    </message>
    <message>
      <source>How much the outline of matched objects is turned where it is turned most.</source>
      <translation>De combien le contour des objets appariés est tourné là où il l’est le plus.</translation>
    </message>
    <message>
      <source>How much of the outlines turns where and as the reference's do.</source>
      <translation>Quelle part des contours tourne là où et comme ceux de la référence.</translation>
    </message>
    <message>
      <source>How far matched outlines go from each other at most.</source>
      <translation>De combien les contours appariés s’écartent au plus.</translation>
    </message>
    <message>
      <source>Mean distance between matched outlines, along them.</source>
      <translation>Distance moyenne entre contours appariés, le long de ceux-ci.</translation>
    </message>
    <message>
      <source>Errors of the number and the area of objects, cell by cell.</source>
      <translation>Erreurs du nombre et de la surface des objets, cellule par cellule.</translation>
    </message>
    <message>
      <source>Black pixels that were detected, and detected pixels that are not black.</source>
      <translation>Pixels noirs détectés, et pixels détectés qui ne sont pas noirs.</translation>
    </message>
    <message>
      <source>How well lines were detected: ends, place, width, style and shape.</source>
      <translation>À quel point les lignes sont détectées : extrémités, position, largeur, style et forme.</translation>
    </message>
    <message>
      <source>Pixel and vector level in one index.</source>
      <translation>Pixels et vecteurs en un seul indice.</translation>
    </message>
    <message>
      <source>How long the detection took, per pixel and per line.</source>
      <translation>Combien de temps a pris la détection, par pixel et par ligne.</translation>
    </message>
    <message>
      <source>Share of bars that match in angle, distance and overlap.</source>
      <translation>Part des traits qui s’accordent en angle, distance et recouvrement.</translation>
    </message>
    <message>
      <source>Length, number and deviation of the detected lines.</source>
      <translation>Longueur, nombre et écart des lignes détectées.</translation>
    </message>
    <message>
      <source>{prediction} against {reference}</source>
      <translation>{prediction} par rapport à {reference}</translation>
    </message>
    <message>
      <source>scores as judged</source>
      <translation>scores après jugement</translation>
    </message>
    <message>
      <source>all errors</source>
      <translation>toutes les erreurs</translation>
    </message>
    <message>
      <source>missing and false roads</source>
      <translation>routes manquantes et en trop</translation>
    </message>
    <message>
      <source>connections</source>
      <translation>liaisons</translation>
    </message>
    <message>
      <source>how roads are drawn</source>
      <translation>comment les routes sont dessinées</translation>
    </message>
    <message>
      <source>missed and false objects</source>
      <translation>objets manqués et fausses alertes</translation>
    </message>
    <message>
      <source>split and merged objects</source>
      <translation>objets divisés et fusionnés</translation>
    </message>
    <message>
      <source>outlines</source>
      <translation>contours</translation>
    </message>
    <message>
      <source>missed and false lines</source>
      <translation>lignes manquées et fausses alertes</translation>
    </message>
    <message>
      <source>pieces</source>
      <translation>morceaux</translation>
    </message>
    <message>
      <source>how lines are drawn</source>
      <translation>comment les lignes sont dessinées</translation>
    </message>
    <message>
      <source>A gap in a road that should be connected.</source>
      <translation>Une coupure dans une route qui devrait être reliée.</translation>
    </message>
    <message>
      <source>A connection that the reference does not have.</source>
      <translation>Une liaison que la référence n’a pas.</translation>
    </message>
    <message>
      <source>The number of arms differs from the reference.</source>
      <translation>Le nombre de branches diffère de celui de la référence.</translation>
    </message>
    <message>
      <source>In the reference, but not in the prediction.</source>
      <translation>Dans la référence, mais pas dans la prédiction.</translation>
    </message>
    <message>
      <source>In the prediction, but not in the reference.</source>
      <translation>Dans la prédiction, mais pas dans la référence.</translation>
    </message>
    <message>
      <source>One road of the reference is drawn more than once.</source>
      <translation>Une route de la référence est dessinée plus d’une fois.</translation>
    </message>
    <message>
      <source>Several roads of the reference are drawn as one.</source>
      <translation>Plusieurs routes de la référence sont dessinées comme une seule.</translation>
    </message>
    <message>
      <source>Two lines are drawn for one road of the reference.</source>
      <translation>Deux lignes sont dessinées pour une route de la référence.</translation>
    </message>
    <message>
      <source>One line is drawn for a divided road of the reference.</source>
      <translation>Une seule ligne est dessinée pour une route à chaussées séparées de la référence.</translation>
    </message>
    <message>
      <source>There, but away from where it should be.</source>
      <translation>Là, mais pas à l’endroit voulu.</translation>
    </message>
    <message>
      <source>The same segment twice in the input; counted once.</source>
      <translation>Le même segment deux fois dans l’entrée ; compté une fois.</translation>
    </message>
    <message>
      <source>Many wrong paths lead through this road.</source>
      <translation>Beaucoup de chemins erronés passent par cette route.</translation>
    </message>
    <message>
      <source>A shortest path whose length the prediction does not keep.</source>
      <translation>Un plus court chemin dont la prédiction ne garde pas la longueur.</translation>
    </message>
    <message>
      <source>In the reference, but nothing in the prediction matches it.</source>
      <translation>Dans la référence, mais rien dans la prédiction n’y correspond.</translation>
    </message>
    <message>
      <source>In the prediction, but nothing in the reference.</source>
      <translation>Dans la prédiction, mais rien dans la référence.</translation>
    </message>
    <message>
      <source>One object of the reference is several in the prediction.</source>
      <translation>Un objet de la référence en est plusieurs dans la prédiction.</translation>
    </message>
    <message>
      <source>Several objects of the reference are one in the prediction.</source>
      <translation>Plusieurs objets de la référence n’en sont qu’un dans la prédiction.</translation>
    </message>
    <message>
      <source>Matched, but the outline lies elsewhere.</source>
      <translation>Trouvé, mais le contour est ailleurs.</translation>
    </message>
    <message>
      <source>One line of the reference came out in several pieces.</source>
      <translation>Une ligne de la référence est sortie en plusieurs morceaux.</translation>
    </message>
    <message>
      <source>Several lines of the reference came out as one.</source>
      <translation>Plusieurs lignes de la référence sont sorties en une seule.</translation>
    </message>
    <message>
      <source>Found, but a part of the line is not there.</source>
      <translation>Trouvée, mais une partie de la ligne manque.</translation>
    </message>
    <message>
      <source>Right in part, but a part of the line should not be there.</source>
      <translation>Juste en partie, mais une partie de la ligne ne devrait pas être là.</translation>
    </message>
    <message>
      <source>Found, but thicker or thinner than it should be.</source>
      <translation>Trouvée, mais plus épaisse ou plus fine qu’elle ne devrait l’être.</translation>
    </message>
    <message>
      <source>Found, but solid where dashed, or the other way.</source>
      <translation>Trouvée, mais continue au lieu de tiretée, ou l’inverse.</translation>
    </message>
    <message>
      <source>Found, but a bar, arc or polyline where another is.</source>
      <translation>Trouvée, mais un segment, un arc ou une polyligne là où il y en a un autre.</translation>
    </message>
    <message>
      <source>Unmatched hole</source>
      <translation>Trou sans correspondance</translation>
    </message>
    <message>
      <source>Unmatched holes</source>
      <translation>Trous sans correspondance</translation>
    </message>
    <message>
      <source>A published protocol found no prediction for this stretch of the reference.</source>
      <translation>Un protocole publié n’a trouvé aucune prédiction pour ce tronçon de la référence.</translation>
    </message>
    <message>
      <source>Unmatched marble</source>
      <translation>Bille sans correspondance</translation>
    </message>
    <message>
      <source>Unmatched marbles</source>
      <translation>Billes sans correspondance</translation>
    </message>
    <message>
      <source>A published protocol found no reference for this stretch of the prediction.</source>
      <translation>Un protocole publié n’a trouvé aucune référence pour ce tronçon de la prédiction.</translation>
    </message>
    <message>
      <source>Lost path</source>
      <translation>Chemin perdu</translation>
    </message>
    <message>
      <source>Lost paths</source>
      <translation>Chemins perdus</translation>
    </message>
    <message>
      <source>A place to which the paths of a published protocol are lost or of another length.</source>
      <translation>Un endroit vers lequel les chemins d’un protocole publié sont perdus ou d’une autre longueur.</translation>
    </message>
    <message>
      <source>Found as it should be.</source>
      <translation>Trouvé comme il se doit.</translation>
    </message>
    <message>
      <source>From an object of the reference to the object that matches it.</source>
      <translation>D’un objet de la référence à l’objet qui lui correspond.</translation>
    </message>
  </context>
</TS>
