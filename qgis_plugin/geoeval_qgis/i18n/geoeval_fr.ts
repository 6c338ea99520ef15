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
  </context>
</TS>
