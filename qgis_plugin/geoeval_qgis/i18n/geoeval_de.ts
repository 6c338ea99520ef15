<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
  <context>
    <name>geoeval</name>
    <message>
      <source>Evaluate</source>
      <translation>Bewerten</translation>
    </message>
    <message>
      <source>Many at once</source>
      <translation>Viele auf einmal</translation>
    </message>
    <message>
      <source>Tools</source>
      <translation>Werkzeuge</translation>
    </message>
    <message>
      <source>Set-up</source>
      <translation>Einrichtung</translation>
    </message>
    <message>
      <source>Evaluate road network</source>
      <translation>Straßennetz bewerten</translation>
    </message>
    <message>
      <source>Evaluate against an OSM extract</source>
      <translation>Gegen einen OSM-Auszug bewerten</translation>
    </message>
    <message>
      <source>Evaluate objects</source>
      <translation>Objekte bewerten</translation>
    </message>
    <message>
      <source>Evaluate line drawings</source>
      <translation>Strichzeichnungen bewerten</translation>
    </message>
    <message>
      <source>Compare several predictions</source>
      <translation>Mehrere Vorhersagen vergleichen</translation>
    </message>
    <message>
      <source>Batch evaluate a folder</source>
      <translation>Einen Ordner bewerten</translation>
    </message>
    <message>
      <source>Make a perturbed network</source>
      <translation>Ein gestörtes Netz erzeugen</translation>
    </message>
    <message>
      <source>Export error layers as shapefiles</source>
      <translation>Fehlerlayer als Shapefiles exportieren</translation>
    </message>
    <message>
      <source>Set up the geoeval environment</source>
      <translation>Die geoeval-Umgebung einrichten</translation>
    </message>
    <message>
      <source>Remove the geoeval environment</source>
      <translation>Die geoeval-Umgebung entfernen</translation>
    </message>
    <message>
      <source>Try it with demo data</source>
      <translation>Mit Beispieldaten ausprobieren</translation>
    </message>
    <message>
      <source>Evaluate roads...</source>
      <translation>Straßen bewerten...</translation>
    </message>
    <message>
      <source>Evaluate roads against OpenStreetMap...</source>
      <translation>Straßen gegen OpenStreetMap bewerten...</translation>
    </message>
    <message>
      <source>Evaluate buildings and other objects...</source>
      <translation>Gebäude und andere Objekte bewerten...</translation>
    </message>
    <message>
      <source>Evaluate drawings...</source>
      <translation>Zeichnungen bewerten...</translation>
    </message>
    <message>
      <source>Compare several predictions...</source>
      <translation>Mehrere Vorhersagen vergleichen...</translation>
    </message>
    <message>
      <source>Scores and review</source>
      <translation>Werte und Durchsicht</translation>
    </message>
    <message>
      <source>Open a result file...</source>
      <translation>Ergebnisdatei öffnen...</translation>
    </message>
    <message>
      <source>Try it with demo data...</source>
      <translation>Mit Beispieldaten ausprobieren...</translation>
    </message>
    <message>
      <source>Set up geoeval...</source>
      <translation>geoeval einrichten...</translation>
    </message>
    <message>
      <source>Help</source>
      <translation>Hilfe</translation>
    </message>
    <message>
      <source>About geoeval</source>
      <translation>Über geoeval</translation>
    </message>
    <message>
      <source>Set up</source>
      <translation>Einrichten</translation>
    </message>
    <message>
      <source>The engine is not set up yet. This is done once and takes some minutes.</source>
      <translation>Das Rechenprogramm ist noch nicht eingerichtet. Das geschieht einmal und dauert einige Minuten.</translation>
    </message>
    <message>
      <source>Compares a predicted map with a reference: scores in true metres and a map of every error.</source>
      <translation>Vergleicht eine vorhergesagte Karte mit einer Referenz: Werte in echten Metern und eine Karte aller Fehler.</translation>
    </message>
    <message>
      <source>Engine</source>
      <translation>Rechenprogramm</translation>
    </message>
    <message>
      <source>Licence</source>
      <translation>Lizenz</translation>
    </message>
    <message>
      <source>not set up</source>
      <translation>nicht eingerichtet</translation>
    </message>
    <message>
      <source>Reference roads (taken as true)</source>
      <translation>Referenzstraßen (gelten als richtig)</translation>
    </message>
    <message>
      <source>Predicted roads (to be scored)</source>
      <translation>Vorhergesagte Straßen (zu bewerten)</translation>
    </message>
    <message>
      <source>Reference objects (taken as true)</source>
      <translation>Referenzobjekte (gelten als richtig)</translation>
    </message>
    <message>
      <source>Predicted objects (to be scored)</source>
      <translation>Vorhergesagte Objekte (zu bewerten)</translation>
    </message>
    <message>
      <source>CRS of the reference, if it has none</source>
      <translation>KBS der Referenz, falls sie keines hat</translation>
    </message>
    <message>
      <source>CRS of the prediction, if it has none</source>
      <translation>KBS der Vorhersage, falls sie keines hat</translation>
    </message>
    <message>
      <source>Area to evaluate (polygons)</source>
      <translation>Zu bewertendes Gebiet (Polygone)</translation>
    </message>
    <message>
      <source>What to look at</source>
      <translation>Was betrachtet wird</translation>
    </message>
    <message>
      <source>Metrics</source>
      <translation>Maße</translation>
    </message>
    <message>
      <source>Levels</source>
      <translation>Ebenen</translation>
    </message>
    <message>
      <source>Tolerance of CCQ (metres)</source>
      <translation>Toleranz von CCQ (Meter)</translation>
    </message>
    <message>
      <source>Tolerance of the other metrics (metres)</source>
      <translation>Toleranz der anderen Maße (Meter)</translation>
    </message>
    <message>
      <source>Cell size of the score grid (metres)</source>
      <translation>Zellengröße des Werterasters (Meter)</translation>
    </message>
    <message>
      <source>How lines join</source>
      <translation>Wie Linien verbunden sind</translation>
    </message>
    <message>
      <source>Remove a constant offset between the layers first</source>
      <translation>Zuerst einen gleichbleibenden Versatz der Layer entfernen</translation>
    </message>
    <message>
      <source>Seed of the sampled metrics</source>
      <translation>Startwert der Maße mit Stichproben</translation>
    </message>
    <message>
      <source>Evaluate all of both layers, even if one covers more ground</source>
      <translation>Beide Layer ganz bewerten, auch wenn einer mehr Fläche abdeckt</translation>
    </message>
    <message>
      <source>CRS to measure in</source>
      <translation>KBS, in dem gemessen wird</translation>
    </message>
    <message>
      <source>Other parameters, one METRIC.PARAMETER=VALUE per line</source>
      <translation>Weitere Parameter, je Zeile MASS.PARAMETER=WERT</translation>
    </message>
    <message>
      <source>Name of the group of layers</source>
      <translation>Name der Layergruppe</translation>
    </message>
    <message>
      <source>Earlier run to compare with (result file)</source>
      <translation>Früherer Lauf zum Vergleich (Ergebnisdatei)</translation>
    </message>
    <message>
      <source>Put the layers on the map</source>
      <translation>Layer auf die Karte legen</translation>
    </message>
    <message>
      <source>Result file</source>
      <translation>Ergebnisdatei</translation>
    </message>
    <message>
      <source>Report</source>
      <translation>Bericht</translation>
    </message>
    <message>
      <source>Scores as JSON</source>
      <translation>Werte als JSON</translation>
    </message>
    <message>
      <source>Minimum intersection over union of a match</source>
      <translation>Kleinstes Verhältnis von Schnitt zu Vereinigung einer Zuordnung</translation>
    </message>
    <message>
      <source>OpenStreetMap file (empty: download)</source>
      <translation>OpenStreetMap-Datei (leer: herunterladen)</translation>
    </message>
    <message>
      <source>Place to download, by name or as west,south,east,north</source>
      <translation>Ort zum Herunterladen, als Name oder als West,Süd,Ost,Nord</translation>
    </message>
    <message>
      <source>Which ways are roads</source>
      <translation>Welche Wege Straßen sind</translation>
    </message>
    <message>
      <source>Folder of predictions</source>
      <translation>Ordner der Vorhersagen</translation>
    </message>
    <message>
      <source>Folder of wheels to install from (empty: download from the package index)</source>
      <translation>Ordner mit Paketen zur Installation (leer: aus dem Paketverzeichnis laden)</translation>
    </message>
    <message>
      <source>Address of another package index</source>
      <translation>Adresse eines anderen Paketverzeichnisses</translation>
    </message>
    <message>
      <source>Python interpreter (3.11 or later)</source>
      <translation>Python-Interpreter (3.11 oder neuer)</translation>
    </message>
    <message>
      <source>Set it up again even if it is there</source>
      <translation>Noch einmal einrichten, auch wenn sie da ist</translation>
    </message>
    <message>
      <source>Download a Python if this machine has none that fits</source>
      <translation>Ein Python herunterladen, falls keines passt</translation>
    </message>
    <message>
      <source>Canceled; nothing was written</source>
      <translation>Abgebrochen; nichts wurde geschrieben</translation>
    </message>
    <message>
      <source>No metric is chosen; choose at least one</source>
      <translation>Kein Maß ist gewählt; wählen Sie mindestens eines</translation>
    </message>
    <message>
      <source>Scores</source>
      <translation>Werte</translation>
    </message>
    <message>
      <source>Review</source>
      <translation>Durchsicht</translation>
    </message>
    <message>
      <source>File</source>
      <translation>Datei</translation>
    </message>
    <message>
      <source>Error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <source>Not an error</source>
      <translation>Kein Fehler</translation>
    </message>
    <message>
      <source>Reference is wrong</source>
      <translation>Referenz ist falsch</translation>
    </message>
    <message>
      <source>Later</source>
      <translation>Später</translation>
    </message>
    <message>
      <source>error</source>
      <translation>Fehler</translation>
    </message>
    <message>
      <source>not an error</source>
      <translation>kein Fehler</translation>
    </message>
    <message>
      <source>reference is wrong</source>
      <translation>Referenz ist falsch</translation>
    </message>
    <message>
      <source>later</source>
      <translation>später</translation>
    </message>
    <message>
      <source>still to judge</source>
      <translation>noch zu beurteilen</translation>
    </message>
    <message>
      <source>all</source>
      <translation>alle</translation>
    </message>
    <message>
      <source>any</source>
      <translation>beliebig</translation>
    </message>
    <message>
      <source>Kinds</source>
      <translation>Arten</translation>
    </message>
    <message>
      <source>Classes</source>
      <translation>Klassen</translation>
    </message>
    <message>
      <source>Show</source>
      <translation>Zeigen</translation>
    </message>
    <message>
      <source>Severity from</source>
      <translation>Schwere ab</translation>
    </message>
    <message>
      <source>Order</source>
      <translation>Reihenfolge</translation>
    </message>
    <message>
      <source>largest gain first</source>
      <translation>größter Gewinn zuerst</translation>
    </message>
    <message>
      <source>random, for a fair sample</source>
      <translation>zufällig, für eine faire Stichprobe</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Art</translation>
    </message>
    <message>
      <source>Verdict</source>
      <translation>Urteil</translation>
    </message>
    <message>
      <source>Length</source>
      <translation>Länge</translation>
    </message>
    <message>
      <source>Gain</source>
      <translation>Gewinn</translation>
    </message>
    <message>
      <source>Severity</source>
      <translation>Schwere</translation>
    </message>
    <message>
      <source>Class</source>
      <translation>Klasse</translation>
    </message>
    <message>
      <source>Keys on the map</source>
      <translation>Tasten auf der Karte</translation>
    </message>
    <message>
      <source>While this is chosen, the keys work on the map as well; any other tool ends it.</source>
      <translation>Solange dies gewählt ist, wirken die Tasten auch auf der Karte; jedes andere Werkzeug beendet es.</translation>
    </message>
    <message>
      <source>Remark (M): kept with the verdict; Enter goes back to the list</source>
      <translation>Bemerkung (M): wird mit dem Urteil gespeichert; Eingabe führt zurück</translation>
    </message>
    <message>
      <source>No error fits the filter.</source>
      <translation>Kein Fehler passt zum Filter.</translation>
    </message>
    <message>
      <source>Save the result file as...</source>
      <translation>Ergebnisdatei speichern unter...</translation>
    </message>
    <message>
      <source>Confirmed errors as MapRoulette tasks...</source>
      <translation>Bestätigte Fehler als MapRoulette-Aufgaben...</translation>
    </message>
    <message>
      <source>Confirmed errors for JOSM...</source>
      <translation>Bestätigte Fehler für JOSM...</translation>
    </message>
    <message>
      <source>Confirmed errors as shapefiles...</source>
      <translation>Bestätigte Fehler als Shapefiles...</translation>
    </message>
    <message>
      <source>Confirmed errors as a table...</source>
      <translation>Bestätigte Fehler als Tabelle...</translation>
    </message>
    <message>
      <source>Save the verdicts...</source>
      <translation>Urteile speichern...</translation>
    </message>
    <message>
      <source>Read verdicts...</source>
      <translation>Urteile einlesen...</translation>
    </message>
    <message>
      <source>Missing roads</source>
      <translation>Fehlende Straßen</translation>
    </message>
    <message>
      <source>Spurious roads</source>
      <translation>Überzählige Straßen</translation>
    </message>
    <message>
      <source>Breaks</source>
      <translation>Unterbrechungen</translation>
    </message>
    <message>
      <source>False links</source>
      <translation>Falsche Verbindungen</translation>
    </message>
    <message>
      <source>Wrong junctions</source>
      <translation>Falsche Kreuzungen</translation>
    </message>
    <message>
      <source>... or a folder of references with the same names</source>
      <translation>... oder ein Ordner mit Referenzen gleichen Namens</translation>
    </message>
    <message>
      <source>... or reference drawing (layer of the project)</source>
      <translation>... oder Referenzzeichnung (Layer des Projekts)</translation>
    </message>
    <message>
      <source>... or reference roads (taken as true)</source>
      <translation>... oder Referenzstraßen (gelten als wahr)</translation>
    </message>
    <message>
      <source>... or vectorised drawing (layer of the project)</source>
      <translation>... oder vektorisierte Zeichnung (Layer des Projekts)</translation>
    </message>
    <message>
      <source>A comparison needs at least two predictions; choose more layers</source>
      <translation>Ein Vergleich braucht mindestens zwei Vorhersagen; wählen Sie mehr Layer</translation>
    </message>
    <message>
      <source>A drawing: DXF, SVG, a table of lines, or a map layer in a file.</source>
      <translation>Eine Zeichnung: DXF, SVG, eine Tabelle von Linien oder ein Kartenlayer in einer Datei.</translation>
    </message>
    <message>
      <source>A file of OpenStreetMap that is taken as true. Empty: the roads are downloaded.</source>
      <translation>Eine Datei von OpenStreetMap, die als wahr gilt. Leer: Die Straßen werden heruntergeladen.</translation>
    </message>
    <message>
      <source>A folder filled on another machine, for a machine without internet. The help says how.</source>
      <translation>Ein auf einem anderen Rechner gefüllter Ordner, für Rechner ohne Internet. Die Hilfe sagt, wie.</translation>
    </message>
    <message>
      <source>A line layer of the project that is taken as true; columns width and style are read.</source>
      <translation>Ein Linienlayer des Projekts, der als wahr gilt; die Spalten width und style werden gelesen.</translation>
    </message>
    <message>
      <source>A line layer of the project to be scored; columns width and style are read.</source>
      <translation>Ein Linienlayer des Projekts, der bewertet wird; die Spalten width und style werden gelesen.</translation>
    </message>
    <message>
      <source>A page with map, tables and plots that opens in any browser, without internet.</source>
      <translation>Eine Seite mit Karte, Tabellen und Diagrammen, die jeder Browser ohne Internet öffnet.</translation>
    </message>
    <message>
      <source>All files (*)</source>
      <translation>Alle Dateien (*)</translation>
    </message>
    <message>
      <source>All scores and how they came about, for other programs.</source>
      <translation>Alle Werte und wie sie entstanden sind, für andere Programme.</translation>
    </message>
    <message>
      <source>Best prediction</source>
      <translation>Beste Vorhersage</translation>
    </message>
    <message>
      <source>Both drawings are the same, so the scores say nothing; choose two</source>
      <translation>Beide Zeichnungen sind dieselbe, daher sagen die Werte nichts; wählen Sie zwei</translation>
    </message>
    <message>
      <source>CRS of predictions that have none</source>
      <translation>KBS der Vorhersagen, die keines haben</translation>
    </message>
    <message>
      <source>CRS of references that have none</source>
      <translation>KBS der Referenzen, die keines haben</translation>
    </message>
    <message>
      <source>Canceled; nothing was installed</source>
      <translation>Abgebrochen; nichts wurde installiert</translation>
    </message>
    <message>
      <source>Drawings (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;All files (*)</source>
      <translation>Zeichnungen (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Each prediction is compared with the file in this folder that has the same name.</source>
      <translation>Jede Vorhersage wird mit der Datei gleichen Namens in diesem Ordner verglichen.</translation>
    </message>
    <message>
      <source>Evaluate even the ground that only one of the maps covers; it then counts as missing or spurious.</source>
      <translation>Auch Flächen bewerten, die nur eine der Karten abdeckt; sie zählen dann als fehlend oder überzählig.</translation>
    </message>
    <message>
      <source>Evaluate two layers; their scores come here.</source>
      <translation>Bewerten Sie zwei Layer; ihre Werte erscheinen hier.</translation>
    </message>
    <message>
      <source>Evaluates every road network in a folder and gives one layer with all scores.</source>
      <translation>Bewertet jedes Straßennetz in einem Ordner und gibt einen Layer mit allen Werten.</translation>
    </message>
    <message>
      <source>Evaluates several road networks against one reference and ranks them, with a Hasse diagram.</source>
      <translation>Bewertet mehrere Straßennetze gegen eine Referenz und ordnet sie, mit einem Hasse-Diagramm.</translation>
    </message>
    <message>
      <source>Evaluates the roads of central Helsinki against a copy with known errors.</source>
      <translation>Bewertet die Straßen der Innenstadt von Helsinki gegen eine Kopie mit bekannten Fehlern.</translation>
    </message>
    <message>
      <source>Every road network in this folder is scored; subfolders are left out.</source>
      <translation>Jedes Straßennetz in diesem Ordner wird bewertet; Unterordner nicht.</translation>
    </message>
    <message>
      <source>Files evaluated</source>
      <translation>Bewertete Dateien</translation>
    </message>
    <message>
      <source>Files that could not be evaluated</source>
      <translation>Dateien, die nicht bewertet werden konnten</translation>
    </message>
    <message>
      <source>Files to evaluate (* and ? match any name)</source>
      <translation>Zu bewertende Dateien (* und ? stehen für beliebige Namen)</translation>
    </message>
    <message>
      <source>Folder for the demo</source>
      <translation>Ordner für die Demo</translation>
    </message>
    <message>
      <source>Folder for the details</source>
      <translation>Ordner für die Einzelheiten</translation>
    </message>
    <message>
      <source>Folder for the layers</source>
      <translation>Ordner für die Layer</translation>
    </message>
    <message>
      <source>Format</source>
      <translation>Format</translation>
    </message>
    <message>
      <source>Further parameters of single metrics, one per line, such as opt-j.alpha=45.</source>
      <translation>Weitere Parameter einzelner Maße, einer je Zeile, etwa opt-j.alpha=45.</translation>
    </message>
    <message>
      <source>Give a result file, or a reference and a prediction</source>
      <translation>Geben Sie eine Ergebnisdatei an, oder eine Referenz und eine Vorhersage</translation>
    </message>
    <message>
      <source>Give either a reference layer or a folder of references</source>
      <translation>Geben Sie entweder einen Referenzlayer oder einen Ordner mit Referenzen an</translation>
    </message>
    <message>
      <source>Give either an OpenStreetMap file or a place to download, not both</source>
      <translation>Geben Sie entweder eine OpenStreetMap-Datei oder einen Ort zum Herunterladen an, nicht beides</translation>
    </message>
    <message>
      <source>HTML files (*.html)</source>
      <translation>HTML-Dateien (*.html)</translation>
    </message>
    <message>
      <source>Hasse diagram</source>
      <translation>Hasse-Diagramm</translation>
    </message>
    <message>
      <source>Highway classes such as primary,secondary, or tags such as railway=tram, in place of the choice above.</source>
      <translation>Straßenklassen wie primary,secondary oder Tags wie railway=tram, an Stelle der Auswahl oben.</translation>
    </message>
    <message>
      <source>Highway classes to use instead, or tags such as railway=tram</source>
      <translation>Stattdessen diese Straßenklassen, oder Tags wie railway=tram</translation>
    </message>
    <message>
      <source>How far, in metres on the ground, a road may lie from its counterpart to count as found by CCQ.</source>
      <translation>Wie weit eine Straße von ihrem Gegenstück liegen darf, um bei CCQ als gefunden zu zählen, in Metern am Boden.</translation>
    </message>
    <message>
      <source>How far, in metres on the ground, junctions and paths may lie apart to be compared.</source>
      <translation>Wie weit Kreuzungen und Wege auseinander liegen dürfen, um verglichen zu werden, in Metern am Boden.</translation>
    </message>
    <message>
      <source>How long the detection took; gives the time per pixel and per line.</source>
      <translation>Wie lange die Erkennung dauerte; ergibt die Zeit je Pixel und je Linie.</translation>
    </message>
    <message>
      <source>How many errors the copy gets.</source>
      <translation>Wie viele Fehler die Kopie bekommt.</translation>
    </message>
    <message>
      <source>How often an error is one</source>
      <translation>Wie oft ein Fehler einer ist</translation>
    </message>
    <message>
      <source>If one map is shifted as a whole, as by a wrong georeference, the shift is measured and removed first.</source>
      <translation>Ist eine Karte als Ganzes verschoben, etwa durch eine falsche Georeferenz, wird die Verschiebung zuerst gemessen und entfernt.</translation>
    </message>
    <message>
      <source>If this machine has no fitting Python, download one for geoeval alone.</source>
      <translation>Hat dieser Rechner kein passendes Python, eines allein für geoeval herunterladen.</translation>
    </message>
    <message>
      <source>Installs the engine in an environment of its own. Run it once.</source>
      <translation>Installiert die Rechenmaschine in einer eigenen Umgebung. Einmal ausführen.</translation>
    </message>
    <message>
      <source>Interpreter</source>
      <translation>Interpreter</translation>
    </message>
    <message>
      <source>JSON files (*.json)</source>
      <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
      <source>Judged in an earlier run: {verdict}</source>
      <translation>In einem früheren Lauf beurteilt: {verdict}</translation>
    </message>
    <message>
      <source>Kind of error</source>
      <translation>Art des Fehlers</translation>
    </message>
    <message>
      <source>Makes a copy of a road network with a known number of errors of one kind.</source>
      <translation>Macht eine Kopie eines Straßennetzes mit einer bekannten Zahl von Fehlern einer Art.</translation>
    </message>
    <message>
      <source>Measure the scores as judged (about {time})</source>
      <translation>Die Werte nach Urteil messen (etwa {time})</translation>
    </message>
    <message>
      <source>Measuring the scores as judged...</source>
      <translation>Die Werte nach Urteil werden gemessen...</translation>
    </message>
    <message>
      <source>Megabytes that are free again</source>
      <translation>Megabyte, die wieder frei sind</translation>
    </message>
    <message>
      <source>Number of errors</source>
      <translation>Zahl der Fehler</translation>
    </message>
    <message>
      <source>Number of layers</source>
      <translation>Zahl der Layer</translation>
    </message>
    <message>
      <source>One GeoPackage with every error, the scores, the grid and the order of edits, all styled. The review panel keeps your verdicts in it. A temporary file is gone when QGIS closes.</source>
      <translation>Ein GeoPackage mit jedem Fehler, den Werten, dem Gitter und der Reihenfolge der Korrekturen, alles gestaltet. Die Durchsicht hält Ihre Urteile darin fest. Eine temporäre Datei ist weg, wenn QGIS schließt.</translation>
    </message>
    <message>
      <source>Only what lies inside these polygons is evaluated. Empty: the ground that both maps cover.</source>
      <translation>Nur was in diesen Polygonen liegt, wird bewertet. Leer: die Fläche, die beide Karten abdecken.</translation>
    </message>
    <message>
      <source>Open a result file</source>
      <translation>Eine Ergebnisdatei öffnen</translation>
    </message>
    <message>
      <source>Open the report</source>
      <translation>Den Bericht öffnen</translation>
    </message>
    <message>
      <source>OpenStreetMap files (*.osm *.pbf *.osm.gz *.osm.bz2);;All files (*)</source>
      <translation>OpenStreetMap-Dateien (*.osm *.pbf *.osm.gz *.osm.bz2);;Alle Dateien (*)</translation>
    </message>
    <message>
      <source>Original image (its pixels are the reference)</source>
      <translation>Originalbild (seine Pixel sind die Referenz)</translation>
    </message>
    <message>
      <source>Other parameters, one LEVEL.PARAMETER=VALUE per line</source>
      <translation>Weitere Parameter, je Zeile LEVEL.PARAMETER=WERT</translation>
    </message>
    <message>
      <source>Perturbed network</source>
      <translation>Gestörtes Netz</translation>
    </message>
    <message>
      <source>Pictures (*.svg *.png *.pdf)</source>
      <translation>Bilder (*.svg *.png *.pdf)</translation>
    </message>
    <message>
      <source>Predicted roads (two or more layers)</source>
      <translation>Vorhergesagte Straßen (zwei oder mehr Layer)</translation>
    </message>
    <message>
      <source>Prediction as compared: {}</source>
      <translation>Vorhersage wie verglichen: {}</translation>
    </message>
    <message>
      <source>Put the layers of the result on the map.</source>
      <translation>Die Layer des Ergebnisses auf die Karte legen.</translation>
    </message>
    <message>
      <source>Python interpreter with geoeval (empty: the environment set up by this plugin)</source>
      <translation>Python-Interpreter mit geoeval (leer: die von dieser Erweiterung eingerichtete Umgebung)</translation>
    </message>
    <message>
      <source>Ranking</source>
      <translation>Rangliste</translation>
    </message>
    <message>
      <source>Ranking as JSON</source>
      <translation>Rangliste als JSON</translation>
    </message>
    <message>
      <source>Ranking as a page</source>
      <translation>Rangliste als Seite</translation>
    </message>
    <message>
      <source>Read verdicts</source>
      <translation>Urteile lesen</translation>
    </message>
    <message>
      <source>Reference as compared: {}</source>
      <translation>Referenz wie verglichen: {}</translation>
    </message>
    <message>
      <source>Reference drawing (file)</source>
      <translation>Referenzzeichnung (Datei)</translation>
    </message>
    <message>
      <source>Reference roads for all files</source>
      <translation>Referenzstraßen für alle Dateien</translation>
    </message>
    <message>
      <source>Remove the environment and make it anew, to repair it.</source>
      <translation>Die Umgebung entfernen und neu anlegen, um sie zu reparieren.</translation>
    </message>
    <message>
      <source>Removes the engine and gives back the room it takes.</source>
      <translation>Entfernt die Rechenmaschine und gibt den Platz zurück, den sie braucht.</translation>
    </message>
    <message>
      <source>Result file of a run</source>
      <translation>Ergebnisdatei eines Laufs</translation>
    </message>
    <message>
      <source>Review the errors</source>
      <translation>Die Fehler prüfen</translation>
    </message>
    <message>
      <source>Road network</source>
      <translation>Straßennetz</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>Speichern</translation>
    </message>
    <message>
      <source>Score grid</source>
      <translation>Gitter der Werte</translation>
    </message>
    <message>
      <source>Scores a predicted road network against a reference and maps every error.</source>
      <translation>Bewertet ein vorhergesagtes Straßennetz gegen eine Referenz und zeigt jeden Fehler auf der Karte.</translation>
    </message>
    <message>
      <source>Scores a predicted road network against an OpenStreetMap file, or against what is downloaded.</source>
      <translation>Bewertet ein vorhergesagtes Straßennetz gegen eine OpenStreetMap-Datei oder gegen einen Download.</translation>
    </message>
    <message>
      <source>Scores a vectorised drawing against a reference and maps every error.</source>
      <translation>Bewertet eine vektorisierte Zeichnung gegen eine Referenz und zeigt jeden Fehler auf der Karte.</translation>
    </message>
    <message>
      <source>Scores of every file</source>
      <translation>Werte jeder Datei</translation>
    </message>
    <message>
      <source>Scores of the drawing</source>
      <translation>Werte der Zeichnung</translation>
    </message>
    <message>
      <source>Scores of the evaluated area</source>
      <translation>Werte der bewerteten Fläche</translation>
    </message>
    <message>
      <source>Scores predicted objects, such as buildings, against a reference and maps every error.</source>
      <translation>Bewertet vorhergesagte Objekte, etwa Gebäude, gegen eine Referenz und zeigt jeden Fehler auf der Karte.</translation>
    </message>
    <message>
      <source>Seconds the detection took</source>
      <translation>Sekunden, die die Erkennung brauchte</translation>
    </message>
    <message>
      <source>Seed</source>
      <translation>Startwert</translation>
    </message>
    <message>
      <source>Side of a cell of the score grid in metres. Empty: about twenty cells across the data.</source>
      <translation>Seite einer Zelle des Gitters in Metern. Leer: etwa zwanzig Zellen über die Daten hinweg.</translation>
    </message>
    <message>
      <source>Some metrics take a sample; the same seed gives the same sample.</source>
      <translation>Manche Maße ziehen eine Stichprobe; derselbe Startwert gibt dieselbe Stichprobe.</translation>
    </message>
    <message>
      <source>The Hasse diagram as a picture.</source>
      <translation>Das Hasse-Diagramm als Bild.</translation>
    </message>
    <message>
      <source>The Python from which the environment is made. Empty: a fitting one is searched for.</source>
      <translation>Das Python, aus dem die Umgebung gemacht wird. Leer: Ein passendes wird gesucht.</translation>
    </message>
    <message>
      <source>The address of a package index in your own network.</source>
      <translation>Die Adresse eines Paketverzeichnisses in Ihrem eigenen Netz.</translation>
    </message>
    <message>
      <source>The copy with the errors.</source>
      <translation>Die Kopie mit den Fehlern.</translation>
    </message>
    <message>
      <source>The environment cannot be written: {why}</source>
      <translation>Die Umgebung kann nicht geschrieben werden: {why}</translation>
    </message>
    <message>
      <source>The error layers and scores of every file are written here too.</source>
      <translation>Auch die Fehlerlayer und Werte jeder Datei werden hier geschrieben.</translation>
    </message>
    <message>
      <source>The evaluated area as a polygon with every score as an attribute.</source>
      <translation>Die bewertete Fläche als Polygon mit jedem Wert als Attribut.</translation>
    </message>
    <message>
      <source>The layers of reference and prediction of this run are not on the map</source>
      <translation>Die Layer von Referenz und Vorhersage dieses Laufs sind nicht auf der Karte</translation>
    </message>
    <message>
      <source>The map that is taken as true. Any CRS; selections, filters and unsaved edits count as you see them.</source>
      <translation>Die Karte, die als wahr gilt. Jedes KBS; Auswahl, Filter und ungespeicherte Änderungen zählen, wie Sie sie sehen.</translation>
    </message>
    <message>
      <source>The map to be scored. It may have another CRS than the reference.</source>
      <translation>Die Karte, die bewertet wird. Sie darf ein anderes KBS haben als die Referenz.</translation>
    </message>
    <message>
      <source>The perturbed network cannot be opened</source>
      <translation>Das gestörte Netz kann nicht geöffnet werden</translation>
    </message>
    <message>
      <source>The picture that was vectorised; its dark pixels are then the true ones.</source>
      <translation>Das Bild, das vektorisiert wurde; seine dunklen Pixel gelten dann als wahr.</translation>
    </message>
    <message>
      <source>The projected CRS in metres in which lengths are measured. Empty: one that is right here within 0.1 %.</source>
      <translation>Das projizierte KBS in Metern, in dem Längen gemessen werden. Leer: eines, das hier auf 0,1 % stimmt.</translation>
    </message>
    <message>
      <source>The result file of an earlier run. Its scores stand beside the new ones, and its verdicts are kept.</source>
      <translation>Die Ergebnisdatei eines früheren Laufs. Seine Werte stehen neben den neuen, und seine Urteile bleiben.</translation>
    </message>
    <message>
      <source>The result file that an evaluation wrote. Nothing is computed again.</source>
      <translation>Die Ergebnisdatei, die eine Bewertung geschrieben hat. Nichts wird neu berechnet.</translation>
    </message>
    <message>
      <source>The same scores for each cell of a grid: where the map is good and where it is bad.</source>
      <translation>Dieselben Werte für jede Zelle eines Gitters: wo die Karte gut ist und wo schlecht.</translation>
    </message>
    <message>
      <source>The width of lines that do not state one, in the unit of the drawing.</source>
      <translation>Die Breite von Linien, die keine angeben, in der Einheit der Zeichnung.</translation>
    </message>
    <message>
      <source>There is no run to save; evaluate two layers first</source>
      <translation>Es gibt keinen Lauf zu speichern; bewerten Sie zuerst zwei Layer</translation>
    </message>
    <message>
      <source>There was no environment</source>
      <translation>Es gab keine Umgebung</translation>
    </message>
    <message>
      <source>Two objects match if their intersection is at least this share of their union.</source>
      <translation>Zwei Objekte passen zusammen, wenn ihr Schnitt mindestens diesen Anteil ihrer Vereinigung hat.</translation>
    </message>
    <message>
      <source>Used if the prediction does not say its own CRS.</source>
      <translation>Wird benutzt, wenn die Vorhersage ihr KBS nicht angibt.</translation>
    </message>
    <message>
      <source>Used if the reference does not say its own CRS.</source>
      <translation>Wird benutzt, wenn die Referenz ihr KBS nicht angibt.</translation>
    </message>
    <message>
      <source>Vectorised drawing (file)</source>
      <translation>Vektorisierte Zeichnung (Datei)</translation>
    </message>
    <message>
      <source>Version of geoeval</source>
      <translation>Version von geoeval</translation>
    </message>
    <message>
      <source>What the group of layers is called. Empty: the time and the names of both layers.</source>
      <translation>Wie die Gruppe der Layer heißt. Leer: die Zeit und die Namen beider Layer.</translation>
    </message>
    <message>
      <source>What to download as the reference. Empty: the ground of the prediction.</source>
      <translation>Was als Referenz heruntergeladen wird. Leer: die Fläche der Vorhersage.</translation>
    </message>
    <message>
      <source>What to mend first</source>
      <translation>Was zuerst zu korrigieren ist</translation>
    </message>
    <message>
      <source>Where the result is written.</source>
      <translation>Wohin das Ergebnis geschrieben wird.</translation>
    </message>
    <message>
      <source>Whether anything was installed</source>
      <translation>Ob etwas installiert wurde</translation>
    </message>
    <message>
      <source>Which files of the folder are evaluated: * stands for any text, ? for any letter.</source>
      <translation>Welche Dateien des Ordners bewertet werden: * steht für beliebigen Text, ? für einen Buchstaben.</translation>
    </message>
    <message>
      <source>Which kind of error the copy gets.</source>
      <translation>Welche Art von Fehlern die Kopie bekommt.</translation>
    </message>
    <message>
      <source>Which kinds of errors are put on the map. All are in the result file, and the scores stay the same.</source>
      <translation>Welche Arten von Fehlern auf die Karte kommen. Alle stehen in der Ergebnisdatei, und die Werte bleiben gleich.</translation>
    </message>
    <message>
      <source>Which scores are computed. All that are ticked at first take a few seconds for a town.</source>
      <translation>Welche Werte berechnet werden. Alle anfangs angekreuzten brauchen für eine Stadt wenige Sekunden.</translation>
    </message>
    <message>
      <source>Which ways of OpenStreetMap are taken for roads: by traffic, or another network such as rail.</source>
      <translation>Welche Wege von OpenStreetMap als Straßen gelten: nach Verkehr, oder ein anderes Netz wie die Bahn.</translation>
    </message>
    <message>
      <source>Which ways of OpenStreetMap files are roads</source>
      <translation>Welche Wege in OpenStreetMap-Dateien Straßen sind</translation>
    </message>
    <message>
      <source>Width of lines without one</source>
      <translation>Breite von Linien ohne Angabe</translation>
    </message>
    <message>
      <source>Worst cells</source>
      <translation>Schlechteste Zellen</translation>
    </message>
    <message>
      <source>Writes the errors of a run to a folder, one styled shapefile for each kind.</source>
      <translation>Schreibt die Fehler eines Laufs in einen Ordner, ein gestaltetes Shapefile je Art.</translation>
    </message>
    <message>
      <source>Written: {file}</source>
      <translation>Geschrieben: {file}</translation>
    </message>
    <message>
      <source>and predicted roads (to be scored)</source>
      <translation>und vorhergesagte Straßen (werden bewertet)</translation>
    </message>
    <message>
      <source>as given</source>
      <translation>wie gemessen</translation>
    </message>
    <message>
      <source>as judged</source>
      <translation>nach Urteil</translation>
    </message>
    <message>
      <source>before</source>
      <translation>vorher</translation>
    </message>
    <message>
      <source>ends: an end that lies on another line is joined to it. crossings: lines are joined wherever they cross. none: only equal vertices are joined.</source>
      <translation>ends: Ein Ende, das auf einer anderen Linie liegt, wird mit ihr verbunden. crossings: Linien werden überall verbunden, wo sie sich kreuzen. none: Nur gleiche Stützpunkte werden verbunden.</translation>
    </message>
    <message>
      <source>geoeval {version} is already set up in {place}; nothing was done</source>
      <translation>geoeval {version} ist bereits in {place} eingerichtet; nichts wurde getan</translation>
    </message>
    <message>
      <source>geoeval {version} is set up in {place}</source>
      <translation>geoeval {version} ist in {place} eingerichtet</translation>
    </message>
    <message>
      <source>kind</source>
      <translation>Art</translation>
    </message>
    <message>
      <source>now</source>
      <translation>jetzt</translation>
    </message>
    <message>
      <source>score</source>
      <translation>Wert</translation>
    </message>
    <message>
      <source>shp: one shapefile for each kind, with its style. gpkg: one file with the styles inside.</source>
      <translation>shp: ein Shapefile je Art, mit seinem Stil. gpkg: eine Datei mit den Stilen darin.</translation>
    </message>
    <message>
      <source>undefined</source>
      <translation>nicht definiert</translation>
    </message>
    <message>
      <source>what it says</source>
      <translation>was er sagt</translation>
    </message>
    <message>
      <source>Errors of the reference: {count}</source>
      <translation>Fehler der Referenz: {count}</translation>
    </message>
    <message>
      <source>{judged} of {all}</source>
      <translation>{judged} von {all}</translation>
    </message>
    <message>
      <source>{low} to {high} %</source>
      <translation>{low} bis {high} %</translation>
    </message>
    <message>
      <source>{python} (from {where}) is still used and not this environment; remove that entry</source>
      <translation>{python} (aus {where}) wird weiter benutzt und nicht diese Umgebung; entfernen Sie jenen Eintrag</translation>
    </message>
    <message>
      <source>{verdict} (earlier)</source>
      <translation>{verdict} (früher)</translation>
    </message>
    <message>
      <source>judged</source>
      <translation>beurteilt</translation>
    </message>
    <message>
      <source>true</source>
      <translation>wahr</translation>
    </message>
    <message>
      <source>95 % interval</source>
      <translation>95-%-Intervall</translation>
    </message>
    <message>
      <source>{judged} of {all} judged, {left} left</source>
      <translation>{judged} von {all} beurteilt, {left} übrig</translation>
    </message>
    <message>
      <source>{judged} of {all} judged, {left} left, about {time}</source>
      <translation>{judged} von {all} beurteilt, {left} übrig, etwa {time}</translation>
    </message>
    <message>
      <source>Reference</source>
      <translation>Referenz</translation>
    </message>
    <message>
      <source>Prediction</source>
      <translation>Vorhersage</translation>
    </message>
    <message>
      <source>Break</source>
      <translation>Unterbrechung</translation>
    </message>
    <message>
      <source>False link</source>
      <translation>Falsche Verbindung</translation>
    </message>
    <message>
      <source>Junction</source>
      <translation>Kreuzung</translation>
    </message>
    <message>
      <source>Junctions</source>
      <translation>Kreuzungen</translation>
    </message>
    <message>
      <source>Missing</source>
      <translation>Fehlend</translation>
    </message>
    <message>
      <source>Spurious</source>
      <translation>Überzählig</translation>
    </message>
    <message>
      <source>Doubled</source>
      <translation>Mehrfach</translation>
    </message>
    <message>
      <source>Merged</source>
      <translation>Zusammengelegt</translation>
    </message>
    <message>
      <source>Drawn double</source>
      <translation>Doppelt gezeichnet</translation>
    </message>
    <message>
      <source>Drawn single</source>
      <translation>Einfach gezeichnet</translation>
    </message>
    <message>
      <source>Displaced</source>
      <translation>Verschoben</translation>
    </message>
    <message>
      <source>Duplicate</source>
      <translation>Dublette</translation>
    </message>
    <message>
      <source>Duplicates</source>
      <translation>Dubletten</translation>
    </message>
    <message>
      <source>Culprit</source>
      <translation>Verursacher</translation>
    </message>
    <message>
      <source>Culprits</source>
      <translation>Verursacher</translation>
    </message>
    <message>
      <source>Wrong path</source>
      <translation>Falscher Weg</translation>
    </message>
    <message>
      <source>Paths</source>
      <translation>Wege</translation>
    </message>
    <message>
      <source>Missed</source>
      <translation>Übersehen</translation>
    </message>
    <message>
      <source>False alarm</source>
      <translation>Fehlalarm</translation>
    </message>
    <message>
      <source>Split</source>
      <translation>Geteilt</translation>
    </message>
    <message>
      <source>Merge</source>
      <translation>Verschmolzen</translation>
    </message>
    <message>
      <source>Boundary</source>
      <translation>Umriss</translation>
    </message>
    <message>
      <source>Boundaries</source>
      <translation>Umrisse</translation>
    </message>
    <message>
      <source>Fragmented</source>
      <translation>Zerstückelt</translation>
    </message>
    <message>
      <source>Consolidated</source>
      <translation>Zusammengefasst</translation>
    </message>
    <message>
      <source>Incomplete</source>
      <translation>Unvollständig</translation>
    </message>
    <message>
      <source>Too long</source>
      <translation>Zu lang</translation>
    </message>
    <message>
      <source>Wrong width</source>
      <translation>Falsche Breite</translation>
    </message>
    <message>
      <source>Wrong style</source>
      <translation>Falscher Stil</translation>
    </message>
    <message>
      <source>Wrong shape</source>
      <translation>Falsche Form</translation>
    </message>
    <message>
      <source>Matched</source>
      <translation>Gefunden</translation>
    </message>
    <message>
      <source>Link</source>
      <translation>Verknüpfung</translation>
    </message>
    <message>
      <source>Links</source>
      <translation>Verknüpfungen</translation>
    </message>
    <message>
      <source>Breaks without length</source>
      <translation>Unterbrechungen ohne Länge</translation>
    </message>
    <message>
      <source>False links without length</source>
      <translation>Falsche Verbindungen ohne Länge</translation>
    </message>
    <message>
      <source>Missing junctions and ends</source>
      <translation>Fehlende Kreuzungen und Enden</translation>
    </message>
    <message>
      <source>Spurious junctions and ends</source>
      <translation>Überzählige Kreuzungen und Enden</translation>
    </message>
    <message>
      <source>Doubled roads</source>
      <translation>Mehrfach gezeichnete Straßen</translation>
    </message>
    <message>
      <source>Merged roads</source>
      <translation>Zusammengelegte Straßen</translation>
    </message>
    <message>
      <source>Roads drawn double</source>
      <translation>Doppelt gezeichnete Straßen</translation>
    </message>
    <message>
      <source>Roads drawn single</source>
      <translation>Einfach gezeichnete Straßen</translation>
    </message>
    <message>
      <source>Displaced roads</source>
      <translation>Verschobene Straßen</translation>
    </message>
    <message>
      <source>Displaced junctions</source>
      <translation>Verschobene Kreuzungen</translation>
    </message>
    <message>
      <source>Displaced lines</source>
      <translation>Verschobene Linien</translation>
    </message>
    <message>
      <source>Displaced sides of objects</source>
      <translation>Verschobene Seiten von Objekten</translation>
    </message>
    <message>
      <source>Duplicate segments of the input</source>
      <translation>Doppelte Strecken der Eingabe</translation>
    </message>
    <message>
      <source>Roads behind many wrong paths</source>
      <translation>Straßen hinter vielen falschen Wegen</translation>
    </message>
    <message>
      <source>Wrong paths</source>
      <translation>Falsche Wege</translation>
    </message>
    <message>
      <source>Missed objects</source>
      <translation>Übersehene Objekte</translation>
    </message>
    <message>
      <source>Missed lines</source>
      <translation>Übersehene Linien</translation>
    </message>
    <message>
      <source>False alarms</source>
      <translation>Fehlalarme</translation>
    </message>
    <message>
      <source>Split objects</source>
      <translation>Geteilte Objekte</translation>
    </message>
    <message>
      <source>Merged objects</source>
      <translation>Verschmolzene Objekte</translation>
    </message>
    <message>
      <source>Objects whose outline lies elsewhere</source>
      <translation>Objekte, deren Umriss woanders liegt</translation>
    </message>
    <message>
      <source>Fragmented lines</source>
      <translation>Zerstückelte Linien</translation>
    </message>
    <message>
      <source>Consolidated lines</source>
      <translation>Zusammengefasste Linien</translation>
    </message>
    <message>
      <source>Incomplete lines</source>
      <translation>Unvollständige Linien</translation>
    </message>
    <message>
      <source>Lines that are too long</source>
      <translation>Zu lange Linien</translation>
    </message>
    <message>
      <source>Lines of the wrong width</source>
      <translation>Linien falscher Breite</translation>
    </message>
    <message>
      <source>Lines of the wrong style</source>
      <translation>Linien falschen Stils</translation>
    </message>
    <message>
      <source>Lines of the wrong shape</source>
      <translation>Linien falscher Form</translation>
    </message>
    <message>
      <source>Objects found as they should be</source>
      <translation>Richtig gefundene Objekte</translation>
    </message>
    <message>
      <source>Lines found as they should be</source>
      <translation>Richtig gefundene Linien</translation>
    </message>
    <message>
      <source>Links between objects that match</source>
      <translation>Verknüpfungen zwischen passenden Objekten</translation>
    </message>
    <message>
      <source>Share of the road length within a tolerance of the other network.</source>
      <translation>Anteil der Straßenlänge, der höchstens eine Toleranz vom anderen Netz entfernt ist.</translation>
    </message>
    <message>
      <source>Share of shortest paths whose length the prediction keeps within a tolerance.</source>
      <translation>Anteil der kürzesten Wege, deren Länge in der Vorhersage bis auf eine Toleranz stimmt.</translation>
    </message>
    <message>
      <source>How well the lengths of shortest paths agree, in both directions.</source>
      <translation>Wie gut die Längen kürzester Wege übereinstimmen, in beiden Richtungen.</translation>
    </message>
    <message>
      <source>Do junctions match, and the directions of their roads.</source>
      <translation>Ob Kreuzungen übereinstimmen und die Richtungen ihrer Straßen.</translation>
    </message>
    <message>
      <source>Do the surroundings that can be reached from a place agree.</source>
      <translation>Ob die Umgebungen übereinstimmen, die von einem Ort aus erreichbar sind.</translation>
    </message>
    <message>
      <source>Can whole paths be followed in the other network, each road used once.</source>
      <translation>Ob sich ganze Wege im anderen Netz verfolgen lassen, jede Straße nur einmal.</translation>
    </message>
    <message>
      <source>Do junctions and dead ends match, with their numbers of arms.</source>
      <translation>Ob Kreuzungen und Straßenenden übereinstimmen, mit der Zahl ihrer Arme.</translation>
    </message>
    <message>
      <source>Do the surroundings that can be reached from a place agree, each place used once.</source>
      <translation>Ob die Umgebungen übereinstimmen, die von einem Ort aus erreichbar sind, jeder Ort nur einmal.</translation>
    </message>
    <message>
      <source>Precision, recall and overlap of the rasterised networks.</source>
      <translation>Genauigkeit, Trefferquote und Überlappung der gerasterten Netze.</translation>
    </message>
    <message>
      <source>Chamfer and Hausdorff distance in metres.</source>
      <translation>Chamfer- und Hausdorff-Abstand in Metern.</translation>
    </message>
    <message>
      <source>Overlap of the best one-to-one matching, as a share of all covered ground.</source>
      <translation>Überlappung der besten Zuordnung eins zu eins, als Anteil der bedeckten Fläche.</translation>
    </message>
    <message>
      <source>How well objects overlap that are found as they are, in pieces, or several as one.</source>
      <translation>Wie gut sich Objekte überlappen, die ganz, in Stücken oder zu mehreren als eines gefunden sind.</translation>
    </message>
    <message>
      <source>Objects in any match, one to one or several to one, and how well their shapes agree.</source>
      <translation>Objekte in irgendeiner Zuordnung, eins zu eins oder mehrere zu einem, und wie gut ihre Formen passen.</translation>
    </message>
    <message>
      <source>Objects found one to one with at least a given intersection over union.</source>
      <translation>Objekte, die eins zu eins mit einer Mindestüberlappung (IoU) gefunden sind.</translation>
    </message>
    <message>
      <source>COCO's average precision and recall, on polygons in metres.</source>
      <translation>Mittlere Genauigkeit und Trefferquote nach COCO, an Polygonen in Metern.</translation>
    </message>
    <message>
      <source>COCO's average precision and recall with boundary IoU, on polygons in metres.</source>
      <translation>Mittlere Genauigkeit und Trefferquote nach COCO mit der IoU der Ränder, an Polygonen in Metern.</translation>
    </message>
    <message>
      <source>Mean distance between the corners of matched objects and the other outline.</source>
      <translation>Mittlerer Abstand der Ecken zugeordneter Objekte vom anderen Umriss.</translation>
    </message>
    <message>
      <source>Common ground as a share of all covered ground, times the likeness of the numbers of corners.</source>
      <translation>Gemeinsame Fläche als Anteil der bedeckten, mal die Ähnlichkeit der Eckenzahlen.</translation>
    </message>
    <message>
      <source>Corners of the outlines that are drawn, within a distance.</source>
      <translation>Ecken der Umrisse, die gezeichnet sind, bis auf einen Abstand.</translation>
    </message>
    <message>
      <source>How much the outline of matched objects is turned where it is turned most.</source>
      <translation>Wie sehr der Umriss zugeordneter Objekte dort verdreht ist, wo er es am meisten ist.</translation>
    </message>
    <message>
      <source>How much of the outlines turns where and as the reference's do.</source>
      <translation>Wie viel der Umrisse dort und so abbiegt wie die der Referenz.</translation>
    </message>
    <message>
      <source>How far matched outlines go from each other at most.</source>
      <translation>Wie weit zugeordnete Umrisse höchstens auseinandergehen.</translation>
    </message>
    <message>
      <source>Mean distance between matched outlines, along them.</source>
      <translation>Mittlerer Abstand zugeordneter Umrisse, an ihnen entlang.</translation>
    </message>
    <message>
      <source>Errors of the number and the area of objects, cell by cell.</source>
      <translation>Fehler der Zahl und der Fläche von Objekten, Zelle für Zelle.</translation>
    </message>
    <message>
      <source>Black pixels that were detected, and detected pixels that are not black.</source>
      <translation>Schwarze Pixel, die gefunden wurden, und gefundene, die nicht schwarz sind.</translation>
    </message>
    <message>
      <source>How well lines were detected: ends, place, width, style and shape.</source>
      <translation>Wie gut Linien gefunden wurden: Enden, Ort, Breite, Stil und Form.</translation>
    </message>
    <message>
      <source>Pixel and vector level in one index.</source>
      <translation>Pixel und Vektoren in einer Zahl.</translation>
    </message>
    <message>
      <source>How long the detection took, per pixel and per line.</source>
      <translation>Wie lange das Erkennen dauerte, je Pixel und je Linie.</translation>
    </message>
    <message>
      <source>Share of bars that match in angle, distance and overlap.</source>
      <translation>Anteil der Striche, die in Winkel, Abstand und Überlappung passen.</translation>
    </message>
    <message>
      <source>Length, number and deviation of the detected lines.</source>
      <translation>Länge, Zahl und Abweichung der gefundenen Linien.</translation>
    </message>
    <message>
      <source>{prediction} against {reference}</source>
      <translation>{prediction} gegen {reference}</translation>
    </message>
    <message>
      <source>scores as judged</source>
      <translation>Werte nach Urteil</translation>
    </message>
    <message>
      <source>all errors</source>
      <translation>alle Fehler</translation>
    </message>
    <message>
      <source>missing and false roads</source>
      <translation>fehlende und überzählige Straßen</translation>
    </message>
    <message>
      <source>connections</source>
      <translation>Verbindungen</translation>
    </message>
    <message>
      <source>how roads are drawn</source>
      <translation>wie Straßen gezeichnet sind</translation>
    </message>
    <message>
      <source>missed and false objects</source>
      <translation>übersehene Objekte und Fehlalarme</translation>
    </message>
    <message>
      <source>split and merged objects</source>
      <translation>geteilte und verschmolzene Objekte</translation>
    </message>
    <message>
      <source>outlines</source>
      <translation>Umrisse</translation>
    </message>
    <message>
      <source>missed and false lines</source>
      <translation>übersehene Linien und Fehlalarme</translation>
    </message>
    <message>
      <source>pieces</source>
      <translation>Stücke</translation>
    </message>
    <message>
      <source>how lines are drawn</source>
      <translation>wie Linien gezeichnet sind</translation>
    </message>
    <message>
      <source>A gap in a road that should be connected.</source>
      <translation>Eine Unterbrechung einer Straße, die verbunden sein sollte.</translation>
    </message>
    <message>
      <source>A connection that the reference does not have.</source>
      <translation>Eine Verbindung, die die Referenz nicht hat.</translation>
    </message>
    <message>
      <source>The number of arms differs from the reference.</source>
      <translation>Die Zahl der Arme ist eine andere als in der Referenz.</translation>
    </message>
    <message>
      <source>In the reference, but not in the prediction.</source>
      <translation>In der Referenz, aber nicht in der Vorhersage.</translation>
    </message>
    <message>
      <source>In the prediction, but not in the reference.</source>
      <translation>In der Vorhersage, aber nicht in der Referenz.</translation>
    </message>
    <message>
      <source>One road of the reference is drawn more than once.</source>
      <translation>Eine Straße der Referenz ist mehr als einmal gezeichnet.</translation>
    </message>
    <message>
      <source>Several roads of the reference are drawn as one.</source>
      <translation>Mehrere Straßen der Referenz sind als eine gezeichnet.</translation>
    </message>
    <message>
      <source>Two lines are drawn for one road of the reference.</source>
      <translation>Für eine Straße der Referenz sind zwei Linien gezeichnet.</translation>
    </message>
    <message>
      <source>One line is drawn for a divided road of the reference.</source>
      <translation>Für eine Straße der Referenz mit getrennten Fahrbahnen ist eine Linie gezeichnet.</translation>
    </message>
    <message>
      <source>There, but away from where it should be.</source>
      <translation>Da, aber nicht dort, wo es sein sollte.</translation>
    </message>
    <message>
      <source>The same segment twice in the input; counted once.</source>
      <translation>Dasselbe Segment zweimal in der Eingabe; einmal gezählt.</translation>
    </message>
    <message>
      <source>Many wrong paths lead through this road.</source>
      <translation>Viele falsche Wege führen über diese Straße.</translation>
    </message>
    <message>
      <source>A shortest path whose length the prediction does not keep.</source>
      <translation>Ein kürzester Weg, dessen Länge die Vorhersage nicht einhält.</translation>
    </message>
    <message>
      <source>In the reference, but nothing in the prediction matches it.</source>
      <translation>In der Referenz, aber nichts in der Vorhersage entspricht ihm.</translation>
    </message>
    <message>
      <source>In the prediction, but nothing in the reference.</source>
      <translation>In der Vorhersage, aber nichts in der Referenz.</translation>
    </message>
    <message>
      <source>One object of the reference is several in the prediction.</source>
      <translation>Ein Objekt der Referenz ist mehrere in der Vorhersage.</translation>
    </message>
    <message>
      <source>Several objects of the reference are one in the prediction.</source>
      <translation>Mehrere Objekte der Referenz sind eines in der Vorhersage.</translation>
    </message>
    <message>
      <source>Matched, but the outline lies elsewhere.</source>
      <translation>Gefunden, aber der Umriss liegt anderswo.</translation>
    </message>
    <message>
      <source>One line of the reference came out in several pieces.</source>
      <translation>Eine Linie der Referenz kam in mehreren Stücken heraus.</translation>
    </message>
    <message>
      <source>Several lines of the reference came out as one.</source>
      <translation>Mehrere Linien der Referenz kamen als eine heraus.</translation>
    </message>
    <message>
      <source>Found, but a part of the line is not there.</source>
      <translation>Gefunden, aber ein Teil der Linie ist nicht da.</translation>
    </message>
    <message>
      <source>Right in part, but a part of the line should not be there.</source>
      <translation>Zum Teil richtig, aber ein Teil der Linie sollte nicht da sein.</translation>
    </message>
    <message>
      <source>Found, but thicker or thinner than it should be.</source>
      <translation>Gefunden, aber dicker oder dünner, als sie sein sollte.</translation>
    </message>
    <message>
      <source>Found, but solid where dashed, or the other way.</source>
      <translation>Gefunden, aber durchgezogen statt gestrichelt, oder umgekehrt.</translation>
    </message>
    <message>
      <source>Found, but a bar, arc or polyline where another is.</source>
      <translation>Gefunden, aber eine Strecke, ein Bogen oder ein Linienzug, wo etwas anderes davon ist.</translation>
    </message>
    <message>
      <source>Unmatched hole</source>
      <translation>Loch ohne Partner</translation>
    </message>
    <message>
      <source>Unmatched holes</source>
      <translation>Löcher ohne Partner</translation>
    </message>
    <message>
      <source>A published protocol found no prediction for this stretch of the reference.</source>
      <translation>Ein veröffentlichtes Protokoll fand zu diesem Stück der Referenz keine Vorhersage.</translation>
    </message>
    <message>
      <source>Unmatched marble</source>
      <translation>Murmel ohne Partner</translation>
    </message>
    <message>
      <source>Unmatched marbles</source>
      <translation>Murmeln ohne Partner</translation>
    </message>
    <message>
      <source>A published protocol found no reference for this stretch of the prediction.</source>
      <translation>Ein veröffentlichtes Protokoll fand zu diesem Stück der Vorhersage keine Referenz.</translation>
    </message>
    <message>
      <source>Lost path</source>
      <translation>Verlorener Weg</translation>
    </message>
    <message>
      <source>Lost paths</source>
      <translation>Verlorene Wege</translation>
    </message>
    <message>
      <source>A place to which the paths of a published protocol are lost or of another length.</source>
      <translation>Eine Stelle, zu der die Wege eines veröffentlichten Protokolls verloren sind oder eine andere Länge haben.</translation>
    </message>
    <message>
      <source>Found as it should be.</source>
      <translation>Gefunden, wie es sein sollte.</translation>
    </message>
    <message>
      <source>From an object of the reference to the object that matches it.</source>
      <translation>Von einem Objekt der Referenz zu dem Objekt, das ihm entspricht.</translation>
    </message>
  </context>
</TS>
