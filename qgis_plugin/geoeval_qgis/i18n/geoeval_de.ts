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
      <translation>Falsche Straßen</translation>
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
  </context>
</TS>
