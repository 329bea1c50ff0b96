package eu.filmtresor.vault

import com.acme.load.Load
import scala.collection.mutable
import scala.util.Random

enum Finding:
  case Sound
  case Shrunken(percent: Double)
  case Vinegar(level: Double)
  case AlreadySeen

final case class Frame(edgeCode: String, perforation: Array[Double], acid: Double)

/** A stage of the inspection bench; the first stage that has something to say decides. */
trait Stage:
  def inspect(frame: Frame): Option[Finding]

final class DuplicateStage extends Stage:
  private val seen = mutable.ArrayBuffer.empty[String] // [edit]
  // [new] private val seen = mutable.HashSet.empty[String]

  def inspect(frame: Frame): Option[Finding] =
    if seen.contains(frame.edgeCode) then Some(Finding.AlreadySeen) // [call] [or]
    else
      seen += frame.edgeCode
      None

/** Fits the pitch of the perforation holes, to see how far the base has shrunk. */
final class ShrinkageStage(nominal: Double) extends Stage:
  def inspect(frame: Frame): Option[Finding] =
    val holes = frame.perforation
    var sx, sy, sxx, sxy = 0.0
    var i = 0
    while i < holes.length do
      val weight = 1 / (1 + math.abs(math.sin(holes(i) * 0.7)))
      sx += weight * i
      sy += weight * holes(i)
      sxx += weight * i * i
      sxy += weight * i * holes(i)
      i += 1
    val total = holes.length.toDouble
    val pitch = (total * sxy - sx * sy) / (total * sxx - sx * sx)
    val shrunk = 100 * (1 - pitch / nominal)
    Option.when(shrunk > 1.2)(Finding.Shrunken(shrunk))

final class VinegarStage extends Stage:
  private var drift = 0.0

  def inspect(frame: Frame): Option[Finding] =
    drift = 0.95 * drift + 0.05 * frame.acid
    Option.when(math.log1p(drift + frame.acid) > 0.74)(Finding.Vinegar(drift))

final class Bench(stages: List[Stage]):
  def run(reel: Iterable[Frame]): Map[String, Int] =
    reel.iterator
      .map(frame => stages.iterator.flatMap(_.inspect(frame)).nextOption().getOrElse(Finding.Sound))
      .foldLeft(Map.empty[String, Int]) { (report, finding) =>
        val name = finding match
          case Finding.Sound => "sound"
          case Finding.Shrunken(percent) => if percent > 2 then "unplayable" else "shrunken"
          case Finding.Vinegar(_) => "vinegar"
          case Finding.AlreadySeen => "again"
        report.updated(name, report.getOrElse(name, 0) + 1)
      }

object ReelInspection:
  private def reel(seed: Int, frames: Int): Vector[Frame] =
    val random = Random(seed)
    Vector.fill(frames) {
      val number = random.nextInt(frames * 3)
      val pitch = 4.74 * (1 - random.nextDouble() * 0.02)
      Frame(f"KJ ${number / 16 + 3100}%d+${number % 16}%02d", Array.tabulate(96)(hole => hole * pitch + random.nextDouble() * 0.02),
        random.nextDouble())
    }

  def main(args: Array[String]): Unit =
    var bench = 0
    Load.onThreads(2, "bench", () =>
      bench += 1
      val frames = reel(bench, 260)
      () => Load.kept = Bench(List(DuplicateStage(), ShrinkageStage(4.74), VinegarStage())).run(frames)
    )
