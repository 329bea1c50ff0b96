package eu.windhafen.yields

import com.acme.load.Load
import scala.collection.mutable
import scala.util.Random

/** A ten-minute sample of a turbine at sea: its number in the park, wind at the hub, pitch of the blades. */
final case class Sample(turbine: Int, wind: Double, pitch: Double)

trait PowerCurve:
  def kilowatts(wind: Double, pitch: Double): Double

/** Power by the tip-speed formula, with a soft limit at rated power. */
final class TipSpeedCurve(rated: Double, area: Double) extends PowerCurve:
  def kilowatts(wind: Double, pitch: Double): Double =
    val lambda = 7.5 - 0.08 * (wind - 9)
    val inverse = 1 / (lambda + 0.08 * pitch) - 0.035 / (pitch * pitch * pitch + 1)
    val efficiency = 0.5176 * (116 * inverse - 0.4 * pitch - 5) * math.exp(-21 * inverse) + 0.0068 * lambda
    val raw = 0.0006125 * area * efficiency * wind * wind * wind
    rated * math.tanh(raw / rated)

final class ParkLedger(turbines: Int, curve: PowerCurve):
  private val energy = mutable.HashMap.empty[Long, Double] // [edit]
  // [new] private val energy = new Array[Double](turbines)
  private val best = mutable.HashMap.empty[Long, Double] // [edit]
  // [new] private val best = new Array[Double](turbines)

  def book(sample: Sample): Unit =
    val lull = curve.kilowatts(sample.wind * 0.96, sample.pitch)
    val power = (lull + curve.kilowatts(sample.wind * 1.04, sample.pitch)) / 2
    val id = sample.turbine.toLong // [old]
    // [new] val id = sample.turbine
    energy(id) = energy.getOrElse(id, 0.0) + power / 6 // [call] [edit]
    // [new] energy(id) = energy(id) + power / 6
    if power > best.getOrElse(id, 0.0) then best(id) = power // [call] [edit]
    // [new] if power > best(id) then best(id) = power

  def total: Double =
    (0 until turbines).map(n => energy.getOrElse(n.toLong, 0.0)).sum // [old]
    // [new] energy.sum

  def laggards(share: Double): Seq[Int] =
    val mean = total / turbines
    (0 until turbines).filter(n => energy.getOrElse(n.toLong, 0.0) < share * mean) // [old]
    // [new] (0 until turbines).filter(n => energy(n) < share * mean)

  def peak: Double =
    best.valuesIterator.max // [old]
    // [new] best.max

/** Wind over the park: a front that moves from row to row, with gusts. */
final class Weather(seed: Int, turbines: Int):
  private val random = Random(seed)

  def day(samplesPerTurbine: Int): Vector[Sample] =
    Vector.tabulate(samplesPerTurbine, turbines) { (time, turbine) =>
      val front = 9 + 4 * math.sin(time / 23.0 - turbine / 40.0)
      val wind = math.max(0.5, front + random.nextGaussian())
      Sample(turbine, wind, if wind > 12 then (wind - 12) * 1.9 else 0.3)
    }.flatten

object TurbineLedger:
  private val Turbines = 160

  /** Samples that the mast beside the park does not believe are taken towards the mast. */
  private def corrected(samples: Vector[Sample], mast: Double): Iterator[Sample] =
    samples.iterator.map { sample =>
      val doubt = 1 / (1 + math.exp(-(math.abs(sample.wind - mast) - 6)))
      sample.copy(wind = sample.wind * (1 - doubt) + mast * doubt)
    }

  def main(args: Array[String]): Unit =
    var park = 0
    Load.onThreads(2, "yield", () =>
      park += 1
      val samples = Weather(park, Turbines).day(36)
      val curve = TipSpeedCurve(3600, 8900)
      () =>
        val ledger = ParkLedger(Turbines, curve)
        corrected(samples, 9.2).foreach(ledger.book)
        Load.kept = (math.round(ledger.total), ledger.laggards(0.93).size, ledger.peak)
    )
